import { Menu } from "@base-ui/react/menu";
import type { ReactNode, RefObject } from "react";

/** Menus belong to the page's main landmark, wherever their buttons are; looked up when one opens. */
const main = {
  get current(): HTMLElement | null {
    return document.querySelector("main");
  },
};

interface MenuPopupProps {
  children: ReactNode;
  align?: "start" | "end";
  /** The button that it belongs to, where that is not a trigger within the menu. */
  of?: RefObject<HTMLElement | null>;
}

/** What a menu opens. */
export function MenuPopup({ children, align = "end", of }: MenuPopupProps) {
  return (
    <Menu.Portal container={main}>
      <Menu.Positioner className="cs-positioner" sideOffset={4} align={align} {...(of && { anchor: of })}>
        <Menu.Popup className="cs-menu" {...(of && { finalFocus: of })}>
          {children}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  );
}
