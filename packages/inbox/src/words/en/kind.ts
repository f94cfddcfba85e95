import { englishKind } from "@countersign/policy/internal/display/english-kind";

/** What a request is called. */
export interface KindOfCall {
  /** The label of the rules; `null` without one. */
  label: string | null;
  /** The label, or else the tool's name. */
  name: string;
}

/** Requests of one kind within a sentence: "refunds", or "requests of pay_supplier" without a label of one word. */
export function kindOf({ label, name }: KindOfCall, count = 1): string {
  const kind = englishKind(label, count);
  return englishKind(label) === "request" ? `${kind} of ${name}` : kind;
}

/** A text with a capital at its beginning. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
