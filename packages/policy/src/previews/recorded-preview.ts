import type { Effect } from "../display/effect-text.js";
import type { PreviewFailure } from "../display/preview-failures.js";
import type { Reversible } from "./reversible.js";

/** What a preview said when its call was proposed, as it is stored with the call. */
export type RecordedPreview =
  | {
      /** The list of effects as canonical JSON text. */
      effectsJson: string;
      /** SHA-256 (hex) of the state on which the effects depend. */
      stateHash: string;
      /** `null`: unknown. */
      reversible: Reversible | null;
    }
  | { failed: PreviewFailure };

/** The effects of a call as readers may see them. */
export interface ShownPreview {
  /** Why there are none; `null` if the preview said what the call would do. */
  failed: PreviewFailure | null;
  effects: Effect[];
  /** `null`: unknown. */
  reversible: Reversible | null;
}
