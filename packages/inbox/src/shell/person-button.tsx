import { useId, useRef, useState } from "react";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { useMe } from "../data/people/use-me.js";
import { LazyBoundary } from "../lazy/lazy-boundary.js";
import { lazyPart } from "../lazy/lazy-part.js";

const PersonMenu = lazyPart(() => import("./person-menu.js"));

/** The signed-in person's name, which opens their menu. */
export function PersonButton({ onHelp }: { onHelp: () => void }) {
  const me = useMe().data?.principal;
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const name = me?.displayName ?? me?.id ?? "You";
  return (
    <>
      <Button
        ref={button}
        id={id}
        tone="quiet"
        aria-label={`${name}, menu`}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <Icon name="person" />
        <span className="cs-wide">{name}</span>
      </Button>
      {open && (
        <LazyBoundary>
          <PersonMenu name={name} button={button} onClose={() => setOpen(false)} onHelp={onHelp} />
        </LazyBoundary>
      )}
    </>
  );
}
