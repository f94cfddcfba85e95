import { flatMapWithPauses, pauseIfBusy, withPauses } from "../../shared/with-pauses.js";
import type { PolicyText } from "../files/policy-text.js";
import type { Policy } from "../policy.js";
import { isGlob } from "../rules/tool-pattern.js";
import { changesOf } from "./changes-of.js";
import type { DecidedCall } from "./decided-call.js";
import { findApprovedHabit } from "./find-approved-habit.js";
import { findDeniedHabit } from "./find-denied-habit.js";
import { literalText } from "./literals.js";
import { placesOf } from "./policy-places.js";
import { policyOf, replaySuggestion } from "./replay-suggestion.js";
import { editFiles } from "./rule-edits.js";
import {
  type DecidedTool,
  defaultMinimums,
  type HeldOut,
  type PolicySuggestions,
  type RuleSuggestion,
  type SuggestOptions,
} from "./suggestion.js";
import type { Habit } from "./tool-history.js";

/** What is known before any suggestion, and the files with the suggestions so far. */
interface Search {
  options: SuggestOptions;
  files: readonly PolicyText[];
  learned: readonly DecidedCall[];
  heldOut: readonly DecidedCall[];
}

/**
 * Suggests changes of a policy: a looser rule for calls that people always approved, and a stricter one for calls that they
 * always denied. Each is replayed over later calls, from which it was not learned. Pure: it changes nothing.
 *
 * @throws TypeError if the policy files have problems.
 */
export async function suggestRules(options: SuggestOptions): Promise<PolicySuggestions> {
  const { learnUntil, learnFrom } = options;
  const policy = policyIn(options.files);
  const read = await flatMapWithPauses(options.calls, (decided) =>
    !learnFrom || decided.decidedAt >= learnFrom ? hidingMore(decided, policy) : [],
  );
  const search: Search = {
    options,
    files: options.files,
    learned: read.filter(({ decidedAt }) => decidedAt < learnUntil),
    heldOut: read.filter(({ decidedAt }) => decidedAt >= learnUntil),
  };
  const suggestions: RuleSuggestion[] = [];
  const tools: DecidedTool[] = [];
  const toolNames = new Set(search.learned.map(({ call }) => call.toolName).sort());
  for await (const toolName of withPauses(toolNames)) {
    const found = await suggestForTool(toolName, search);
    suggestions.push(...found.suggestions);
    tools.push(found.tool);
  }
  const changed = options.files.flatMap(({ file, text: before }) => {
    const after = search.files.find((edited) => edited.file === file)?.text ?? before;
    return after === before ? [] : [{ file, before, after }];
  });
  const { learned, heldOut } = search;
  return { suggestions, tools, learned: learned.length, heldOut: heldOut.length, files: changed };
}

/** Adds what is not contradicted to the files of the search. Each suggestion is found without the others. */
async function suggestForTool(toolName: string, search: Search) {
  const { minApprovals, minDenials } = { ...defaultMinimums, ...search.options };
  const calls = search.learned.filter(({ call }) => call.toolName === toolName);
  const suggestions: RuleSuggestion[] = [];
  const whyNot: DecidedTool["whyNot"] = {};
  const isNameable = !isGlob(toolName) && literalText(toolName) !== undefined;
  for (const verdict of ["notify", "deny"] as const) {
    const find = verdict === "notify" ? findApprovedHabit : findDeniedHabit;
    const tryWith = async (files: readonly PolicyText[]) => {
      const policy = policyIn(files);
      await pauseIfBusy();
      const places = placesOf(files);
      const history = { toolName, calls, policy, places, minApprovals, minDenials };
      const habit = isNameable ? await find(history) : { why: "a rule cannot name the tool" };
      return "why" in habit ? habit : await tryHabit(habit, policy, { ...search, files });
    };
    const tried = await tryWith(search.options.files);
    const isUsable = "suggestion" in tried && tried.suggestion.heldOut.contradictedBy.length === 0;
    const joined = isUsable && search.files !== search.options.files ? await tryWith(search.files) : tried;
    if ("why" in joined) whyNot[verdict] = joined.why;
    else if (isUsable) search.files = joined.files;
    if ("suggestion" in tried && "suggestion" in joined) suggestions.push(tried.suggestion);
  }
  return { suggestions, tool: { toolName, ...countsOf(calls), whyNot } };
}

function policyIn(files: readonly PolicyText[]): Policy {
  const joined = policyOf(files);
  if ("problem" in joined) throw new TypeError(`The policy files have problems: ${joined.problem}`);
  return joined.policy;
}

/** The call with what the present policy hides in it besides what was hidden when it was decided. */
function hidingMore(decided: DecidedCall, policy: Policy): DecidedCall {
  const { redact, redactPatterns } = policy.evaluate(decided.call).terms;
  const { terms } = decided;
  return {
    ...decided,
    terms: {
      ...terms,
      redact: [...terms.redact, ...redact],
      redactPatterns: [...terms.redactPatterns, ...redactPatterns],
    },
  };
}

function countsOf(calls: readonly DecidedCall[]) {
  const count = (outcome: string) => calls.filter((call) => call.outcome === outcome).length;
  const [approved, denied] = [count("approved"), count("denied")];
  return { approved, denied, other: calls.length - approved - denied };
}

/** Makes the change in the files and replays all calls. It must change the calls that it comes from, and nothing else. */
async function tryHabit(
  habit: Habit,
  policy: Policy,
  { files, learned, heldOut }: Search,
): Promise<{ suggestion: RuleSuggestion; files: PolicyText[] } | { why: string }> {
  const { toolName, verdict, when, calls, edits } = habit;
  const edited = editFiles(files, edits);
  if ("impossible" in edited)
    return { why: `${edited.impossible} is written in a way or a format in which it cannot be changed` };
  await pauseIfBusy();
  const candidate = policyOf(edited);
  if ("problem" in candidate)
    return { why: `the change would make the policy invalid: ${candidate.problem}` };
  const before = await replaySuggestion(policy, candidate.policy, learned, habit);
  const later = await replaySuggestion(policy, candidate.policy, heldOut, habit);
  const covered = new Set(before.changed);
  const changesMore =
    before.changesMore || later.changesMore || resultsOf(before.changed, verdict).contradictedBy.length > 0;
  if (changesMore || !calls.every((call) => covered.has(call))) {
    return { why: "the change would have other effects than the suggested one" };
  }
  const suggestion: RuleSuggestion = {
    toolName,
    verdict,
    when,
    calls: calls.map(({ id }) => id),
    files: [...new Set(edits.map(({ file }) => file))],
    changes: changesOf(edits, placesOf(files)),
    heldOut: resultsOf(later.changed, verdict),
  };
  return { suggestion, files: edited };
}

function resultsOf(calls: readonly DecidedCall[], verdict: "notify" | "deny"): HeldOut {
  const changed = calls.map(({ id, outcome }) => ({ id, outcome }));
  const expected = verdict === "notify" ? "approved" : "denied";
  return { changed, contradictedBy: changed.filter(({ outcome }) => outcome !== expected) };
}
