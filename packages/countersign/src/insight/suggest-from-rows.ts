import { basename } from "node:path";
import { WorkLimit } from "@countersign/policy/internal/bounded/work-limit";
import type { Policy } from "@countersign/policy/internal/policy/policy";
import type { DecidedCall } from "@countersign/policy/internal/policy/suggestions/decided-call";
import { suggestRules } from "@countersign/policy/internal/policy/suggestions/suggest-rules";
import type { RuleChange, RuleSuggestion } from "@countersign/policy/internal/policy/suggestions/suggestion";
import { hiddenTexts, redact } from "@countersign/policy/internal/redaction/redact";
import { flatMapWithPauses, withPauses } from "@countersign/policy/internal/shared/with-pauses";
import type { ShortDecidedRow } from "../store/ports/insight-port.js";
import { decidedCallOf } from "./decided-call-of.js";

/** A rule that would follow from decided calls, for a page. */
export interface ShownSuggestion {
  toolName: string;
  verdict: RuleSuggestion["verdict"];
  when: string;
  /** The number of calls that it comes from. */
  calls: number;
  /** The latest ones, with their sentences. */
  examples: { id: string; summary: string }[];
  changes: RuleChange[];
  /** Later calls that people decided as the rule would have. */
  tested: number;
}

export interface SuggestedRules {
  /** The number of calls that taught. */
  learned: number;
  /** The number of later calls that tested the suggestions. */
  tested: number;
  /** The calls that were decided since then only test. */
  testedSince: Date;
  items: ShownSuggestion[];
}

/** What is needed of a policy. */
type JudgingPolicy = Pick<Policy, "files" | "evaluate">;

export interface SuggestInput {
  policy: JudgingPolicy;
  /** The decided calls of the time, the latest first. */
  rows: readonly ShortDecidedRow[];
  /** The time that the calls are from. */
  time: { from: Date; until: Date };
}

const maxExamples = 5;

/**
 * The suggestions of `policy suggest` from the calls of a time, whose last third only tests them. `undefined` if the
 * policy has no files. Drops suggestions that later calls contradict, and those that would show a hidden value.
 */
export async function suggestFromRows({
  policy,
  rows,
  time,
}: SuggestInput): Promise<SuggestedRules | undefined> {
  const files = policy.files?.() ?? [];
  if (files.length === 0) return undefined;
  const calls = await flatMapWithPauses(await readableCalls(rows), (decided) => hiddenByAll(decided, policy));
  const [from, until] = [time.from.getTime(), time.until.getTime()];
  const learnUntil = new Date(until - (until - from) / 3);
  const found = await suggestRules({ files, calls, learnUntil });
  const hidden = await hiddenIn(calls);
  const summaries = new Map(rows.map(({ id, summary }) => [id, summary]));
  const confirmed = found.suggestions.filter(({ heldOut }) => heldOut.contradictedBy.length === 0);
  const shown: RuleSuggestion[] = [];
  for (const suggestion of confirmed) if (!(await hidden(textOf(suggestion)))) shown.push(suggestion);
  const items = shown.map(({ toolName, verdict, when, calls: ids, changes, heldOut }) => ({
    toolName,
    verdict,
    when,
    calls: ids.length,
    examples: ids
      .slice(-maxExamples)
      .reverse()
      .map((id) => ({ id, summary: summaries.get(id) ?? id })),
    changes: changes.map((change) => ({ ...change, file: basename(change.file) })),
    tested: heldOut.changed.length,
  }));
  return { learned: found.learned, tested: found.heldOut, testedSince: learnUntil, items };
}

/** The calls, oldest first. A tool with long arguments teaches nothing: its other calls might say the opposite. */
async function readableCalls(rows: readonly ShortDecidedRow[]): Promise<DecidedCall[]> {
  const long = new Set(rows.flatMap(({ inputJson, toolName }) => (inputJson === null ? [toolName] : [])));
  const calls = await flatMapWithPauses(rows, ({ inputJson, ...row }) =>
    inputJson === null || long.has(row.toolName) ? [] : (decidedCallOf({ ...row, inputJson }) ?? []),
  );
  return calls.reverse();
}

/** The call with what the policy in force hides, rules in code included. */
function hiddenByAll(decided: DecidedCall, policy: JudgingPolicy): DecidedCall {
  const { redact: paths, redactPatterns } = policy.evaluate(decided.call).terms;
  const { terms } = decided;
  return {
    ...decided,
    terms: {
      ...terms,
      redact: [...new Set([...terms.redact, ...paths])],
      redactPatterns: [...new Set([...terms.redactPatterns, ...redactPatterns])],
    },
  };
}

/** Tells whether a text has a value that is hidden in any of the calls, even if another call shows it. */
async function hiddenIn(calls: readonly DecidedCall[]): Promise<(text: string) => Promise<boolean>> {
  const texts = new Set(
    await flatMapWithPauses(calls, ({ call, terms }) => hiddenTexts(call.input, terms.redact)),
  );
  const redactPatterns = [...new Set(calls.flatMap(({ terms }) => terms.redactPatterns))];
  // Conditions quote values as JSON does.
  const written = [...texts].flatMap((hidden) => [hidden, JSON.stringify(hidden).slice(1, -1)]);
  return async (text) => {
    for await (const hidden of withPauses(written)) if (text.includes(hidden)) return true;
    return redact(text, { redact: [], redactPatterns }, new WorkLimit()) !== text;
  };
}

function textOf({ when, changes }: RuleSuggestion): string {
  return [when, ...changes.map(({ text }) => text)].join("\n");
}
