import {
  type Effect,
  effectLines,
  effectText,
  reversibleText,
} from "@countersign/policy/internal/display/effect-text";
import { previewFailureText } from "@countersign/policy/internal/display/preview-failures";
import type { ShownPreview } from "@countersign/policy/internal/previews/recorded-preview";
import { hiddenValue } from "@countersign/policy/internal/redaction/hidden-text";
import type { Approval } from "../../approval/approval.js";
import type { Card } from "../../channel/channel.js";

const maxEffects = 10;

/** The lines of a card about what the call would change. */
export interface CardEffects extends Pick<Card, "effects" | "reversible" | "noPreview"> {
  /** Whether effects are shortened or left out. */
  cut: boolean;
  /** Whether a part of an effect is hidden. */
  hidden: boolean;
}

const none: CardEffects = { effects: [], reversible: null, noPreview: null, cut: false, hidden: false };

/** What a call would change, as visible in a channel. They are the effects of the arguments that an edit replaces. */
export function cardEffects(preview: ShownPreview | null, edited: Approval["edited"]): CardEffects {
  if (preview === null || edited) return none;
  const { failed, effects, reversible } = preview;
  if (failed !== null) return { ...none, noPreview: previewFailureText[failed] };
  return {
    effects: effectLines(effects, { max: maxEffects }),
    reversible: reversibleText(reversible),
    noPreview: null,
    cut: effects.length > maxEffects || effects.some(isCut),
    hidden: JSON.stringify(effects).includes(hiddenValue),
  };
}

/** Whether the line of an effect does not show all of it. */
function isCut(effect: Effect): boolean {
  return effectText(effect) !== effectText(effect, { whole: true });
}
