import type { Effect } from "@countersign/policy/display";
import type { RecordedPreview } from "countersign/types";

/** A preview as it is stored with a call. */
export function recordedPreview(
  effects: readonly Effect[],
  reversible: boolean | string | null = null,
): RecordedPreview {
  return { effectsJson: JSON.stringify(effects), stateHash: "0".repeat(64), reversible };
}

/** Effects whose texts try to mislead, each with what people must see of it. */
export const hostileEffects: readonly (Effect & { shows: string })[] = [
  { target: "line breaks", after: `b${"\n".repeat(60)}c`, shows: "60 line breaks" },
  { target: "direction", after: "\u202egnp.exe", shows: "U+202E" },
  { target: "total", before: 1, after: 1e21, shows: "1,000,000,000,000,000,000,000" },
  { target: "arrow: paid → open", after: "paid → refunded", shows: "paid → refunded" },
  { target: `blanks${" ".repeat(400)}to eve`, shows: "400 spaces" },
];
