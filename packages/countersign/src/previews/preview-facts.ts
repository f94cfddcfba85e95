import type { Effect } from "../display/effect-text.js";
import type { Reversible } from "./preview.js";
import type { RecordedPreview } from "./recorded-preview.js";

/** What rules know of a preview. `null`: the call has none. */
export interface PreviewFacts {
  effects: readonly Effect[] | null;
  reversible: Reversible | null;
}

/** What rules know of a call with this preview, or without one. */
export function previewFacts(preview: RecordedPreview | null | undefined): PreviewFacts {
  if (!preview || "failed" in preview) return { effects: null, reversible: null };
  return { effects: JSON.parse(preview.effectsJson), reversible: preview.reversible };
}
