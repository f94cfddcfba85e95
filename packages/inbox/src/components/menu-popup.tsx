import { Menu } from "@base-ui/react/menu";
import type { ReactNode } from "react";

/** Menus belong to the page's main landmark, wherever their buttons are; looked up when one opens. */
const main = {
  get current(): HTMLElement | null {
    return document.querySelector("main");
  },
};

/** What a menu opens. */
export function MenuPopup({ children, align = "end" }: { children: ReactNode; align?: "start" | "end" }) {
  return (
    <Menu.Portal container={main}>
      <Menu.Positioner className="cs-positioner" sideOffset={4} align={align}>
        <Menu.Popup className="cs-menu">{children}</Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  );
}
