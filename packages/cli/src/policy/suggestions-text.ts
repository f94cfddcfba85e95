import { visibleText } from "@countersign/policy/internal/display/visible-text";
import {
  type DecidedOutcome,
  decidedOutcomes,
} from "@countersign/policy/internal/policy/suggestions/decided-call";
import type {
  DecidedTool,
  HeldOut,
  PolicySuggestions,
  RuleSuggestion,
} from "@countersign/policy/internal/policy/suggestions/suggestion";

interface Shown {
  learnUntil: Date;
  holdOut: string;
  diff: string;
  out: string | undefined;
}

const maxName = 120;
const maxIds = 3;

/** Suggestions for people: what each comes from, what it would have changed, and the diff. */
export function suggestionsText(found: PolicySuggestions, { learnUntil, holdOut, diff, out }: Shown): string {
  const { suggestions, tools, learned, heldOut } = found;
  const day = learnUntil.toISOString().slice(0, 10);
  const lines = [
    `Learned from ${callsOf(learned)} decided before ${day}; tested on ${callsOf(heldOut)} of the last ${holdOut}.`,
  ];
  for (const suggestion of suggestions) lines.push("", ...linesOf(suggestion, holdOut));
  const reasons = tools.flatMap(reasonsFor);
  if (reasons.length > 0) lines.push("", "Not suggested:", ...reasons);
  lines.push("", diff === "" ? "Nothing to change." : afterwards(diff, out));
  return `${lines.join("\n")}\n`;
}

/** Why there is no rule for calls that people approved or denied. */
function reasonsFor({ toolName, approved, denied, other, whyNot }: DecidedTool): string[] {
  const reasons = [
    ...(whyNot.notify !== undefined && approved > 0 ? [`no looser rule: ${whyNot.notify}`] : []),
    ...(whyNot.deny !== undefined && denied > 0 ? [`no stricter rule: ${whyNot.deny}`] : []),
  ];
  if (reasons.length === 0) return [];
  const counts = `${approved} approved, ${denied} denied, ${other} decided otherwise`;
  return [`  ${visibleText(toolName, maxName)} (${counts})`, ...reasons.map((reason) => `    ${reason}`)];
}

function linesOf({ toolName, verdict, when, calls, heldOut }: RuleSuggestion, holdOut: string): string[] {
  const did = verdict === "notify" ? "approved" : "denied";
  const title = `${visibleText(toolName, maxName)}: people ${did} all ${calls.length} calls like this`;
  const contradicted = heldOut.contradictedBy.length > 0;
  return [
    contradicted ? `${title}, but not later. CONTRADICTED, not in the diff:` : `${title}:`,
    `  ${verdict} when ${when}`,
    `  ${laterText(heldOut, verdict, holdOut)}`,
  ];
}

function laterText({ changed }: HeldOut, verdict: "notify" | "deny", holdOut: string): string {
  const period = `In the ${holdOut} that it did not learn from`;
  if (changed.length === 0) return `${period}, there was no such call: nothing has tested it.`;
  const would = verdict === "notify" ? "would not have been asked about" : "would have been denied at once";
  const expected = verdict === "notify" ? "approved" : "denied";
  const outcomes = decidedOutcomes.flatMap((outcome) => {
    const calls = changed.filter((call) => call.outcome === outcome);
    if (calls.length === 0) return [];
    const words = `${calls.length} ${outcomeWords[outcome]}`;
    return outcome === expected ? words : `${words} (${idsOf(calls)})`;
  });
  return `${period}, ${callsOf(changed.length)} ${would}: ${outcomes.join(", ")}.`;
}

const outcomeWords: Record<DecidedOutcome, string> = {
  approved: "approved",
  denied: "denied",
  edited: "approved with changed arguments",
  answered: "answered by a person instead",
  doubted: "approved in spite of a denial or a failed check, or withdrawn by a check",
  failed: "failed",
  interrupted: "interrupted",
  undone: "ran, but somebody wanted to take them back",
};

function idsOf(calls: readonly { id: string }[]): string {
  const ids = calls.slice(0, maxIds).map(({ id }) => visibleText(id, maxName));
  return [...ids, ...(calls.length > maxIds ? [`${calls.length - maxIds} more`] : [])].join(", ");
}

function callsOf(count: number): string {
  return count === 1 ? "1 call" : `${count} calls`;
}

function afterwards(diff: string, out: string | undefined): string {
  return out === undefined
    ? diff.slice(0, -1)
    : `The diff is in ${out}. Read it, then apply it with: patch -p0 < ${out}`;
}
