import { isDeepStrictEqual } from "node:util";
import { unitsOfRedaction, WorkLimit } from "@countersign/policy/internal/bounded/work-limit";
import type { Effect } from "@countersign/policy/internal/display/effect-text";
import type { ShownPreview } from "@countersign/policy/internal/previews/recorded-preview";
import { hiddenValue } from "@countersign/policy/internal/redaction/hidden-text";
import { type Hiding, hiddenTexts, redact } from "@countersign/policy/internal/redaction/redact";
import { escapedPattern } from "@countersign/policy/internal/redaction/redact-patterns";
import type { Approval, ApprovalTerms } from "./approval.js";
import { type ShownCount, visibleCounts } from "./visible-counts.js";

/**
 * Where an approval is displayed. `inbox`: signed-in people; the only place where full-view roles see everything.
 * `channel`: other systems. `event`, `log`: never contain arguments.
 */
export type Audience =
  | { sink: "inbox"; seesEverything: boolean }
  | { sink: "channel" }
  | { sink: "event" }
  | { sink: "log" };

/** The arguments of a call and of its edit, and the response, as visible to an audience. */
export interface ShownArguments {
  input: unknown;
  editedInput: unknown;
  response: unknown;
  /** The tool's result. */
  outcome: unknown;
  /** What the call would change; `null` if its tool has no preview. */
  preview: ShownPreview | null;
  /** What its rules counted over time. */
  counts: ShownCount[];
  /** The values hidden from this audience. */
  hidden: Hiding;
}

/** The only place that decides which arguments an audience sees. */
export function shown(
  approval: Pick<Approval, "toolName" | "inputJson" | "edited" | "responseJson" | "outcomeJson"> & {
    terms: ApprovalTerms;
  },
  audience: Audience,
): ShownArguments {
  const hidden = hidingFor(approval.terms, audience);
  if (audience.sink === "event" || audience.sink === "log") {
    return {
      input: null,
      editedInput: null,
      response: null,
      outcome: null,
      preview: null,
      counts: [],
      hidden,
    };
  }
  // Shared by all values of one approval.
  const limit = new WorkLimit(unitsOfRedaction);
  const read = (json: string | null | undefined, hiding: Hiding) =>
    json === null || json === undefined ? null : redact(JSON.parse(json), hiding, limit);
  return {
    input: read(approval.inputJson, hidden),
    editedInput: read(approval.edited?.inputJson, hidden),
    // Paths refer to the arguments, not to the response.
    response: read(approval.responseJson, { ...hidden, redact: [] }),
    outcome: outcomeOf(approval, hidden, limit),
    preview: previewOf(approval, hidden, limit),
    counts: visibleCounts(approval, hidden, limit),
    hidden,
  };
}

/** The effects of the call as proposed. Hidden arguments that they repeat are hidden too. */
function previewOf(
  { inputJson, terms: { preview } }: Pick<Approval, "inputJson" | "terms">,
  hidden: Hiding,
  limit: WorkLimit,
): ShownPreview | null {
  if (preview === null) return null;
  if ("failed" in preview) return { failed: preview.failed, effects: [], reversible: null };
  const effects = visibleEffects(preview.effectsJson, inputJson, hidden, limit);
  return { failed: null, effects, reversible: preview.reversible };
}

/**
 * The effects of a call with these arguments, without what the audience may not see. Effects say in other words what the
 * arguments say, so where an argument is hidden, only their number is shown.
 */
export function visibleEffects(
  effectsJson: string,
  inputJson: string,
  hidden: Hiding,
  limit = new WorkLimit(unitsOfRedaction),
): Effect[] {
  const effects: Effect[] = JSON.parse(effectsJson);
  const paths = redact(JSON.parse(inputJson), { redact: hidden.redact, redactPatterns: [] }, limit);
  if (!isDeepStrictEqual(paths, JSON.parse(inputJson))) return effects.map(() => ({ target: hiddenValue }));
  const visible = redact(effects, { redact: [], redactPatterns: hidden.redactPatterns }, limit);
  // A value that takes too much work to search is hidden as a whole.
  return Array.isArray(visible) ? (visible as ShownEffect[]).map(withNumber) : [{ target: hiddenValue }];
}

/** An effect whose parts may be hidden. */
type ShownEffect = Omit<Effect, "count"> & { count?: number | typeof hiddenValue };

/** A hidden count is named beside the target, because counts are numbers. */
function withNumber({ count, ...effect }: ShownEffect): Effect {
  if (count === undefined || typeof count === "number")
    return count === undefined ? effect : { ...effect, count };
  return { ...effect, target: `${effect.target} (count: ${hiddenValue})` };
}

/** The tool's result or error. Hidden arguments that it repeats are hidden too. */
function outcomeOf(
  { inputJson, edited, outcomeJson }: Pick<Approval, "inputJson" | "edited" | "outcomeJson">,
  hidden: Hiding,
  limit: WorkLimit,
): unknown {
  if (outcomeJson === null) return null;
  // State changes of a handler are not shown to people.
  const { state: _, ...outcome } = JSON.parse(outcomeJson);
  const inputs = [inputJson, ...(edited ? [edited.inputJson] : [])].map((json) => JSON.parse(json));
  return visibleOutcome(outcome, inputs, hidden, limit);
}

/** A call's result without what the audience may not see, and without the hidden arguments that it repeats. */
export function visibleOutcome(
  outcome: unknown,
  inputs: readonly unknown[],
  hidden: Hiding,
  limit = new WorkLimit(unitsOfRedaction),
): unknown {
  const repeated = inputs.flatMap((input) => hiddenTexts(input, hidden.redact));
  const redactPatterns = [...hidden.redactPatterns, ...repeated.map(escapedPattern)];
  return redact(outcome, { redact: [], redactPatterns }, limit);
}

/** The redactions of the terms that apply to an audience. */
export function hidingFor(terms: Hiding, audience: Audience): Hiding {
  if (audience.sink === "inbox" && audience.seesEverything) return { redact: [], redactPatterns: [] };
  return { redact: terms.redact, redactPatterns: terms.redactPatterns };
}

/** The redactions of a call's rules and of the instance. */
export function withPatterns(patterns: readonly string[], terms: readonly string[] = []): string[] {
  return [...new Set([...terms, ...patterns])].sort();
}
