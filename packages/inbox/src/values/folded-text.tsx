import { useId, useMemo, useState } from "react";
import { Button } from "../components/button.js";
import { SafeText, TextParts } from "../components/safe-text.js";
import { usePrinting } from "../data/browser/use-printing.js";
import { foldOf } from "../logic/review/folded-text.js";
import { countNumber } from "../words/locale.js";
import { words } from "../words/words.js";

interface FoldedProps {
  text: string;
  code?: boolean;
  /** Whether it has been opened, if the parent keeps track. */
  unfolded?: boolean | undefined;
  onUnfold?: (() => void) | undefined;
}

/** Long text or code: its beginning and end, and all of it on demand. */
export function Folded({ text, code = false, unfolded = false, onUnfold }: FoldedProps) {
  const [own, setOwn] = useState<boolean>();
  const id = useId();
  const fold = useMemo(() => foldOf(text), [text]);
  const printing = usePrinting();
  const open = printing || (own ?? unfolded);
  return (
    <div className="cs-folded">
      <pre id={id} data-code={code || undefined} tabIndex={fold && open ? 0 : undefined}>
        {fold && !open ? (
          <>
            <TextParts parts={fold.beginning} />
            <span className="cs-fold-gap">{words.values.folded.gap(countNumber(fold.hidden))}</span>
            <TextParts parts={fold.end} />
          </>
        ) : (
          <SafeText text={text} />
        )}
      </pre>
      {fold && (
        <Button
          tone="quiet"
          aria-expanded={open}
          aria-controls={id}
          data-unreviewed={unfolded ? undefined : "fold"}
          onClick={() => {
            setOwn(!open);
            onUnfold?.();
          }}
        >
          {open ? words.values.folded.showLess : words.values.folded.showAll(countNumber(text.length))}
        </Button>
      )}
    </div>
  );
}
