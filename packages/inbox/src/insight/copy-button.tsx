import { useState } from "react";
import { Button } from "../components/button.js";
import { words } from "../words/words.js";

interface CopyButtonProps {
  text: string;
  /** The button's name for screen readers, which says what is copied. */
  label: string;
}

/** Copies a text, and says whether that worked. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [result, setResult] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setResult(words.insight.rules.copied);
    } catch {
      setResult(words.insight.rules.notCopied);
    }
  };
  return (
    <span className="cs-copy">
      <span role="status">{result}</span>
      <Button tone="quiet" aria-label={label} onClick={() => void copy()}>
        {words.insight.rules.copy}
      </Button>
    </span>
  );
}
