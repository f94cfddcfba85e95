import { Icon } from "../components/icon.js";
import { useMe } from "../data/people/use-me.js";
import { personButtonId } from "../keyboard/regions.js";
import { lazyPart } from "../lazy/lazy-part.js";
import { words } from "../words/words.js";
import { MenuButton } from "./menu-button.js";

const PersonMenu = lazyPart(() => import("./person-menu.js"));

/** The signed-in person's name, which opens their menu. */
export function PersonButton({ onHelp }: { onHelp: () => void }) {
  const me = useMe().data?.principal;
  const name = me?.displayName ?? me?.id ?? words.page.you;
  return (
    <MenuButton
      id={personButtonId}
      aria-label={words.page.menuOf(name)}
      menu={(props) => <PersonMenu name={name} onHelp={onHelp} {...props} />}
    >
      <Icon name="person" />
      <span className="cs-wide">{name}</span>
    </MenuButton>
  );
}
