import { useId, useRef, useState } from "react";
import { Button } from "../components/button.js";
import { Icon } from "../components/icon.js";
import { useMe } from "../data/use-me.js";
import { Late } from "../late/late.js";
import { latePart } from "../late/late-part.js";

const PersonMenu = latePart(() => import("./person-menu.js"));

/** Who is signed in; opens the menu of what concerns them. */
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
        <Late>
          <PersonMenu name={name} button={button} onClose={() => setOpen(false)} onHelp={onHelp} />
        </Late>
      )}
    </>
  );
}
