import { Menu } from "@base-ui/react/menu";
import type { RefObject } from "react";
import { Icon } from "../components/icon.js";
import { MenuPopup } from "../components/menu-popup.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useMe } from "../data/people/use-me.js";
import { usePreferences } from "../data/people/use-preferences.js";
import { useSignOut } from "../sign-in/use-sign-out.js";
import { useNotificationSwitch } from "./use-notification-switch.js";

const themes = [
  { value: "system", text: "System" },
  { value: "light", text: "Light" },
  { value: "dark", text: "Dark" },
] as const;

interface PersonMenuProps {
  name: string;
  /** The button that opened the menu, which gets the focus back. */
  button: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
  onHelp: () => void;
}

/** The signed-in person's menu: theme, notifications and sign-out. */
export default function PersonMenu({ name, button, onClose, onHelp }: PersonMenuProps) {
  const { config } = useInbox();
  const me = useMe().data?.principal;
  const [preferences, change] = usePreferences();
  const notifications = useNotificationSwitch();
  const signOut = useSignOut();
  return (
    <Menu.Root open onOpenChange={(open) => !open && onClose()}>
      <MenuPopup of={button}>
        {me && (
          <div className="cs-menu-note">
            {name}
            {me.roles.length > 0 && <> · {me.roles.join(", ")}</>}
          </div>
        )}
        <Menu.RadioGroup
          value={preferences.theme}
          onValueChange={(theme: (typeof themes)[number]["value"]) => change({ theme })}
        >
          {themes.map(({ value, text }) => (
            <Menu.RadioItem key={value} value={value} className="cs-menu-item" closeOnClick={false}>
              <span className="cs-menu-mark">
                <Menu.RadioItemIndicator>
                  <Icon name="check" />
                </Menu.RadioItemIndicator>
              </span>
              {text}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Separator className="cs-menu-line" />
        <Menu.CheckboxItem
          className="cs-menu-item"
          checked={notifications.on}
          disabled={notifications.impossible !== undefined}
          onCheckedChange={notifications.toggle}
        >
          <span className="cs-menu-mark">
            <Menu.CheckboxItemIndicator>
              <Icon name="check" />
            </Menu.CheckboxItemIndicator>
          </span>
          <span>
            Notify me on this device
            {notifications.impossible && <small>{notifications.impossible}</small>}
          </span>
        </Menu.CheckboxItem>
        <Menu.Separator className="cs-menu-line" />
        <Menu.Item className="cs-menu-item" onClick={onHelp}>
          <span className="cs-menu-mark" />
          Keyboard shortcuts
        </Menu.Item>
        {config.signIn && "session" in config.signIn && (
          <Menu.Item className="cs-menu-item" onClick={() => void signOut()}>
            <span className="cs-menu-mark" />
            Sign out
          </Menu.Item>
        )}
      </MenuPopup>
    </Menu.Root>
  );
}
