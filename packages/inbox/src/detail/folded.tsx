import { useId, useState } from "react";
import { Button } from "../components/button.js";
import { SafeText } from "../components/safe-text.js";
import { longText, manyLines } from "../logic/value-kind.js";

/** Long text or code: its beginning, and all of it on demand. */
export function Folded({ text, code = false }: { text: string; code?: boolean }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const lines = text.split("\n");
  const long = lines.length > manyLines || text.length > longText;
  const shown = open || !long ? text : `${beginning(lines)}…`;
  return (
    <div className="cs-folded">
      <pre id={id} data-code={code || undefined} tabIndex={open ? 0 : undefined}>
        <SafeText text={shown} />
      </pre>
      {long && (
        <Button tone="quiet" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          {open ? "Show less" : `Show all of it (${text.length.toLocaleString()} characters)`}
        </Button>
      )}
    </div>
  );
}

function beginning(lines: readonly string[]): string {
  // By code points: half of a pair would show as a lone surrogate.
  return [...lines.slice(0, manyLines).join("\n")].slice(0, longText).join("");
}
