import { Menu } from "@base-ui/react/menu";
import type { ReactNode, RefObject } from "react";
import { usePortal } from "../data/inbox/host.js";
import { Covers } from "./covers.js";

/** The main landmark, which contains menus and tooltips unless the host says otherwise. Looked up when one opens. */
export const main = {
  get current(): HTMLElement | null {
    return document.querySelector("main");
  },
};

interface MenuPopupProps {
  children: ReactNode;
  align?: "start" | "end";
  /** The button that the menu belongs to, if it is not a trigger within the menu. */
  of?: RefObject<HTMLElement | null>;
}

/** A menu's popup. */
export function MenuPopup({ children, align = "end", of }: MenuPopupProps) {
  return (
    <Menu.Portal {...usePortal(main)}>
      <Menu.Positioner className="cs-positioner" sideOffset={4} align={align} {...(of && { anchor: of })}>
        <Menu.Popup className="cs-menu" {...(of && { finalFocus: of })}>
          <Covers />
          {children}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  );
}
