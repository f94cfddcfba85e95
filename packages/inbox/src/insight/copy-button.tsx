import { useState } from "react";
import { Button } from "../components/button.js";

interface CopyButtonProps {
  text: string;
  /** What is copied, for screen readers. */
  what: string;
}

/** Copies a text, and says whether that worked. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const [result, setResult] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setResult("Copied");
    } catch {
      setResult("Not copied. Select the text and copy it.");
    }
  };
  return (
    <span className="cs-copy">
      <span role="status">{result}</span>
      <Button tone="quiet" aria-label={`Copy ${what}`} onClick={() => void copy()}>
        Copy
      </Button>
    </span>
  );
}
