import type { Card } from "countersign/types";

/** What a call is, for people: "Refund (issue_refund)", or the tool's name. */
export function toolText({ label, toolName }: Card): string {
  return label === null ? toolName : `${label} (${toolName})`;
}

/** The hidden arguments, each as it is called among the card's fields. */
export function hiddenNames({ hiddenFields, fields }: Card): { path: string; label: string | undefined }[] {
  const labels = new Map(fields.map(({ name, label }) => [name, label]));
  return hiddenFields.map((path) => ({ path, label: labels.get(path) }));
}

/** A card's risk in words: "High risk". */
export function riskText({ risk }: Card): string {
  return `${risk.charAt(0).toUpperCase()}${risk.slice(1)} risk`;
}

/** Whether a card's risk needs a mark. */
export function isRisky({ risk }: Card): boolean {
  return risk === "high" || risk === "critical";
}
