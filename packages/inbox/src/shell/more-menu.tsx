import { Menu } from "@base-ui/react/menu";
import { Link } from "wouter";
import { MenuPopup } from "../components/menu-popup.js";
import { words } from "../words/words.js";
import type { HeaderMenuProps } from "./menu-button.js";
import { morePages, type Page } from "./use-page.js";

interface MoreMenuProps extends HeaderMenuProps {
  page: Page;
}

/** The pages that few people need, as links. */
export default function MoreMenu({ page, button, onClose }: MoreMenuProps) {
  return (
    <Menu.Root open onOpenChange={(open) => !open && onClose()}>
      <MenuPopup of={button} align="start">
        {morePages.map((each) => (
          <Menu.LinkItem
            key={each}
            className="cs-menu-item"
            closeOnClick
            aria-current={each === page ? "page" : undefined}
            render={<Link href={`/${each}`} />}
          >
            {words.page.pages[each]}
          </Menu.LinkItem>
        ))}
      </MenuPopup>
    </Menu.Root>
  );
}
