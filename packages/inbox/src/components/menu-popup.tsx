import { Menu } from "@base-ui/react/menu";
import type { ReactNode } from "react";

/** What a menu opens. */
export function MenuPopup({ children, align = "end" }: { children: ReactNode; align?: "start" | "end" }) {
  return (
    <Menu.Portal>
      <Menu.Positioner className="cs-positioner" sideOffset={4} align={align}>
        <Menu.Popup className="cs-menu">{children}</Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  );
}
