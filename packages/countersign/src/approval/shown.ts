import type { Approval, ApprovalTerms } from "./approval.js";
import { type Hiding, hiddenTexts, redact } from "./redact.js";
import { escapedPattern } from "./redact-patterns.js";

/**
 * Where an approval is read. `inbox`: people who signed in; roles that see everything do so only there. `channel`: other
 * systems and what they show. `event`, `log`: get no arguments at all.
 */
export type Audience =
  | { sink: "inbox"; seesEverything: boolean }
  | { sink: "channel" }
  | { sink: "event" }
  | { sink: "log" };

/** The arguments of a call, those of an edit, and what a person answered, as an audience may read them. */
export interface ShownArguments {
  input: unknown;
  editedInput: unknown;
  response: unknown;
  /** What the tool gave back. */
  outcome: unknown;
  /** What was hidden from this audience. */
  hidden: Hiding;
}

/** The one place that says who reads what of a call's arguments. */
export function shown(
  approval: Pick<Approval, "inputJson" | "edited" | "responseJson" | "outcomeJson"> & {
    terms: ApprovalTerms;
  },
  audience: Audience,
): ShownArguments {
  const hidden = hidingFor(approval.terms, audience);
  if (audience.sink === "event" || audience.sink === "log") {
    return { input: null, editedInput: null, response: null, outcome: null, hidden };
  }
  const read = (json: string | null | undefined, hiding: Hiding) =>
    json === null || json === undefined ? null : redact(JSON.parse(json), hiding);
  return {
    input: read(approval.inputJson, hidden),
    editedInput: read(approval.edited?.inputJson, hidden),
    // Paths name fields of the arguments, and the answer is something else.
    response: read(approval.responseJson, { ...hidden, redact: [] }),
    outcome: outcomeOf(approval, hidden),
    hidden,
  };
}

/** What the tool gave back, or the error it ended with; what it repeats of hidden arguments is hidden as well. */
function outcomeOf(
  { inputJson, edited, outcomeJson }: Pick<Approval, "inputJson" | "edited" | "outcomeJson">,
  hidden: Hiding,
): unknown {
  if (outcomeJson === null) return null;
  // What a handler changed in the network's state is not for people.
  const { state: _, ...outcome } = JSON.parse(outcomeJson);
  const repeated = [inputJson, ...(edited ? [edited.inputJson] : [])].flatMap((json) =>
    hiddenTexts(JSON.parse(json), hidden.redact),
  );
  return redact(outcome, {
    redact: [],
    redactPatterns: [...hidden.redactPatterns, ...repeated.map(escapedPattern)],
  });
}

/** What is hidden from an audience of what the terms hide. */
export function hidingFor(terms: Hiding, audience: Audience): Hiding {
  if (audience.sink === "inbox" && audience.seesEverything) return { redact: [], redactPatterns: [] };
  return { redact: terms.redact, redactPatterns: terms.redactPatterns };
}

/** What a rule hides, and what the instance hides in every call. */
export function withPatterns(patterns: readonly string[], terms: readonly string[] = []): string[] {
  return [...new Set([...terms, ...patterns])].sort();
}
