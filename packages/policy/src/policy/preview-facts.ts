import type { Effect } from "../display/effect-text.js";
import type { RecordedPreview } from "../previews/recorded-preview.js";
import { durationMs } from "../shared/duration.js";
import type { PolicyCall } from "./policy-call.js";

/** What rules know of a call's consequences. */
export type PreviewFacts = Pick<PolicyCall, "effects" | "reversible">;

/** What a stored preview tells the policy. Nothing, if the tool has no preview or the preview failed. */
export function previewFacts(recorded: RecordedPreview | null): Required<PreviewFacts> {
  if (recorded === null || "failed" in recorded) return { effects: null, reversible: null };
  return { effects: JSON.parse(recorded.effectsJson), reversible: recorded.reversible };
}

/** The effects of a call; `null` if they are unknown, because its tool has no preview or the preview failed. */
export function effectsOf({ effects }: PreviewFacts): readonly Effect[] | null {
  return Array.isArray(effects) ? effects : null;
}

/** Whether a call can be taken back, at least for a time. Unknown means no, and so does a call without effects. */
export function isReversible(call: PreviewFacts): boolean {
  const { reversible } = call;
  if (effectsOf(call) === null) return false;
  return typeof reversible === "string" ? (durationMs(reversible) ?? 0) > 0 : reversible === true;
}
