import type { Effect } from "@countersign/policy/internal/display/effect-text";
import type { Reversible } from "@countersign/policy/internal/previews/reversible";
import type { CheckContext } from "@countersign/policy/internal/safety-checks/safety-check";

/** What a call would do. */
export interface PreviewResult {
  /** At most 100. An empty list: nothing would change. */
  effects: Effect[];
  /**
   * What the effects depend on: any JSON, such as the order's version. An approval holds for this state, and a call whose
   * state is another one at its start does not run. @default the effects themselves
   */
  state?: unknown;
  /** @default unknown, which counts as no */
  reversible?: Reversible;
}

/** What a preview is told about the call. `moment` is `start` when the approved call is about to run. */
export type PreviewContext = CheckContext;

/**
 * Rehearses a call: says what it would change, and changes nothing. It runs when the call is proposed and again before it
 * starts, each time for at most 5 seconds, and must not use step tools.
 *
 * @param input A copy of the arguments.
 */
export type Preview<Input = Record<string, unknown>> = (
  input: Input,
  context: PreviewContext,
) => PreviewResult | Promise<PreviewResult>;
