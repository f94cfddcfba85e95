import { Menu } from "@base-ui/react/menu";
import { type RefObject, useContext } from "react";
import { Icon } from "../components/icon.js";
import { MenuPopup } from "../components/menu-popup.js";
import { HostContext, type InboxTheme } from "../data/inbox/host.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { spoken } from "../data/inbox/set-inbox-language.js";
import { useMe } from "../data/people/use-me.js";
import { usePreferences } from "../data/people/use-preferences.js";
import { focusPerson } from "../keyboard/regions.js";
import { useSignOut } from "../sign-in/use-sign-out.js";
import { type Language, languages } from "../words/choose-language.js";
import { words } from "../words/words.js";
import { useNotificationSwitch } from "./use-notification-switch.js";

const themes: readonly InboxTheme[] = ["system", "light", "dark"];

/** Languages under their own names. */
const languageNames: Record<Language, string> = { en: "English", de: "Deutsch" };
/** The choice of readers who leave it to the host or the browser. */
const automatic = "automatic";

interface PersonMenuProps {
  name: string;
  /** The button that opened the menu, which gets the focus back. */
  button: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
  onHelp: () => void;
}

/** The signed-in person's menu: theme, language, notifications and sign-out. */
export default function PersonMenu({ name, button, onClose, onHelp }: PersonMenuProps) {
  const { config } = useInbox();
  const { theme } = useContext(HostContext);
  const me = useMe().data?.principal;
  const [preferences, change] = usePreferences();
  const notifications = useNotificationSwitch();
  const signOut = useSignOut();
  const { menu } = words.page;
  return (
    <Menu.Root open onOpenChange={(open) => !open && onClose()}>
      <MenuPopup of={button}>
        {me && (
          <div className="cs-menu-note">
            {name}
            {me.roles.length > 0 && <> · {me.roles.join(", ")}</>}
          </div>
        )}
        {theme === undefined && (
          <>
            <Menu.RadioGroup
              value={preferences.theme}
              onValueChange={(chosen: InboxTheme) => change({ theme: chosen })}
            >
              <Menu.GroupLabel className="cs-menu-label">{menu.theme}</Menu.GroupLabel>
              {themes.map((each) => (
                <Choice key={each} value={each} text={menu.themes[each]} />
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="cs-menu-line" />
          </>
        )}
        <Menu.RadioGroup
          value={preferences.language ?? automatic}
          onValueChange={(choice: Language | typeof automatic) => {
            focusAgain();
            change({ language: choice === automatic ? undefined : choice });
          }}
        >
          <Menu.GroupLabel className="cs-menu-label">{menu.language}</Menu.GroupLabel>
          <Choice value={automatic} text={menu.automatic} />
          {languages.map((language) => (
            <Choice key={language} value={language} text={languageNames[language]} lang={language} />
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
            {menu.notify}
            {notifications.impossible && <small>{notifications.impossible}</small>}
          </span>
        </Menu.CheckboxItem>
        <Menu.Separator className="cs-menu-line" />
        <Menu.Item className="cs-menu-item" onClick={onHelp}>
          <span className="cs-menu-mark" />
          {menu.keys}
        </Menu.Item>
        {config.signIn && "session" in config.signIn && (
          <Menu.Item className="cs-menu-item" onClick={() => void signOut()}>
            <span className="cs-menu-mark" />
            {menu.signOut}
          </Menu.Item>
        )}
      </MenuPopup>
    </Menu.Root>
  );
}

/** Another language renders the page again, without this menu. The button that opened it gets the focus. */
function focusAgain(): void {
  const stop = spoken.subscribe(() => {
    stop();
    window.requestAnimationFrame(focusPerson);
  });
}

/** One choice of several that leaves the menu open. */
function Choice({ value, text, lang }: { value: string; text: string; lang?: Language }) {
  return (
    <Menu.RadioItem value={value} className="cs-menu-item" closeOnClick={false} lang={lang}>
      <span className="cs-menu-mark">
        <Menu.RadioItemIndicator>
          <Icon name="check" />
        </Menu.RadioItemIndicator>
      </span>
      {text}
    </Menu.RadioItem>
  );
}
