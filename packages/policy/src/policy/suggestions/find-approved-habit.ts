import { flatMapWithPauses, withPauses } from "../../shared/with-pauses.js";
import { isReversible } from "../preview-facts.js";
import { constrainable } from "./alike-calls.js";
import { askingPlaces, conditionsOfOthers, insistsOnPreview } from "./asking-places.js";
import { readCall, withRequester } from "./call-arguments.js";
import { firstCovered } from "./covered-calls.js";
import type { DecidedCall } from "./decided-call.js";
import { effectBounds } from "./effect-bounds.js";
import type { PolicyPlace } from "./policy-places.js";
import { freeId, looserEdits } from "./rule-edits.js";
import { type TightCondition, tightestCondition, varyingArguments } from "./tightest-condition.js";
import type { Habit, ToolHistory } from "./tool-history.js";
import { differ, hide, tooFew } from "./why-not.js";

/** Approved calls of one shape that the same rules ask about. */
interface AlikeApproved {
  calls: DecidedCall[];
  asking: PolicyPlace[];
}

/** Calls of a tool that people approved every time, or why there are none. */
export async function findApprovedHabit(history: ToolHistory): Promise<Habit | { why: string }> {
  const { toolName, calls, places, minApprovals } = history;
  const approved = calls.filter(({ outcome }) => outcome === "approved");
  if (approved.length < minApprovals) return tooFew(approved.length, "approved", minApprovals);
  const hasPreview = calls.some((call) => call.hasPreview) || insistsOnPreview(places, { toolName });
  const { groups, reasons } = await alike(approved, history, hasPreview);
  const [largest] = groups.sort((one, other) => other.calls.length - one.calls.length);
  if (!largest || largest.calls.length < minApprovals) {
    return { why: reasons[0] ?? "its approved calls have different arguments" };
  }
  const others = conditionsOfOthers(places, largest.asking, largest.calls[0]?.call ?? { toolName });
  if (!others) return { why: "another rule, such as one of a profile, asks about all of its calls" };
  const eligible = new Set(groups.flatMap((group) => group.calls));
  const blocking = await flatMapWithPauses(calls, (decided) =>
    eligible.has(decided) || runsAlready(decided, history) ? [] : [decided],
  );
  const found = await search(largest.calls, blocking, others, minApprovals);
  if ("why" in found) return found;
  const covered = found.calls.map(({ decided }) => decided);
  const when = [found.when, ...(hasPreview ? effectBounds(covered) : []), ...others].join(" && ");
  const comment = `countersign policy suggest: people approved ${covered.length} calls like this`;
  const id = freeId(places, `approved-${toolName}`);
  const edits = looserEdits(largest.asking, { toolName, when, comment, id });
  return { toolName, verdict: "notify", when, calls: covered, edits };
}

/** Whether the present policy lets such a call run without a decision, for example by an earlier suggestion. */
function runsAlready({ outcome, call }: DecidedCall, { policy }: ToolHistory): boolean {
  return outcome === "approved" && ["allow", "notify"].includes(policy.evaluate(call).kind);
}

/** Groups of approved calls, and why others cannot be in one. */
async function alike(
  approved: readonly DecidedCall[],
  { policy, places }: ToolHistory,
  hasPreview: boolean,
): Promise<{ groups: AlikeApproved[]; reasons: string[] }> {
  const groups = new Map<string, AlikeApproved>();
  const reasons = new Set<string>();
  for await (const decided of withPauses(approved)) {
    const shape = readCall(decided)?.shape;
    const asking = askingPlaces(policy, places, decided);
    const { redact, redactPatterns } = decided.terms;
    if ("why" in asking) reasons.add(asking.why);
    else if (shape === undefined) reasons.add("all of their arguments are hidden");
    else if (hasPreview && !isReversible(decided.call))
      reasons.add("no preview says that they can be taken back");
    else if (hasPreview && redact.length + redactPatterns.length > 0) {
      reasons.add("their effects may repeat arguments that a rule hides");
    } else {
      const key = JSON.stringify([shape, asking.places.map((place) => places.indexOf(place))]);
      const group = groups.get(key) ?? { calls: [], asking: asking.places };
      group.calls.push(decided);
      groups.set(key, group);
    }
  }
  return { groups: [...groups.values()], reasons: [...reasons] };
}

/** The tightest condition over the arguments and, only if they are not enough, the requester. */
async function search(
  alikeCalls: readonly DecidedCall[],
  blocking: readonly DecidedCall[],
  others: readonly string[],
  atLeast: number,
): Promise<TightCondition | { why: string }> {
  const calls = await flatMapWithPauses(alikeCalls, (decided) => readCall(decided) ?? []);
  const { hidden, varying } = await varyingArguments(calls, atLeast);
  if (hidden.length > 0) return hide(hidden);
  if (varying.length > 0) return differ(varying);
  const haveRequester = calls.every(({ decided }) => decided.call.principal);
  for (const read of haveRequester ? [calls, calls.map(withRequester)] : [calls]) {
    const found = await tightestCondition({
      calls: read,
      constrained: constrainable(read),
      atLeast,
      guarded: false,
      coversOther: (when) => firstCovered([when, ...others].join(" && "), blocking, { inDoubt: false }),
    });
    if (found) return found;
  }
  return { why: `no condition covers ${atLeast} approved calls and none that was decided otherwise` };
}
