import { useRef, useState } from "react";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { useMe } from "../data/people/use-me.js";
import { personButtonId } from "../keyboard/regions.js";
import { LazyOverlay } from "../lazy/lazy-overlay.js";
import { lazyPart } from "../lazy/lazy-part.js";
import { words } from "../words/words.js";

const PersonMenu = lazyPart(() => import("./person-menu.js"));

/** The signed-in person's name, which opens their menu. */
export function PersonButton({ onHelp }: { onHelp: () => void }) {
  const me = useMe().data?.principal;
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const name = me?.displayName ?? me?.id ?? words.page.you;
  return (
    <>
      <Button
        ref={button}
        id={personButtonId}
        tone="quiet"
        aria-label={words.page.menuOf(name)}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <Icon name="person" />
        <span className="cs-wide">{name}</span>
      </Button>
      {open && (
        <LazyOverlay>
          <PersonMenu name={name} button={button} onClose={() => setOpen(false)} onHelp={onHelp} />
        </LazyOverlay>
      )}
    </>
  );
}
