import { flatMapWithPauses, withPauses } from "../../shared/with-pauses.js";
import { constrainable, withFrequentValue } from "./alike-calls.js";
import { type ReadCall, readCall } from "./call-arguments.js";
import { firstCovered } from "./covered-calls.js";
import type { PolicyPlace } from "./policy-places.js";
import { freeId } from "./rule-edits.js";
import { tightestCondition } from "./tightest-condition.js";
import type { Habit, ToolHistory } from "./tool-history.js";
import { tooFew } from "./why-not.js";

/** Calls of a tool that people denied every time, or why there are none. */
export async function findDeniedHabit({
  toolName,
  calls,
  policy,
  places,
  minDenials: atLeast,
}: ToolHistory): Promise<Habit | { why: string }> {
  const denied = calls.filter(({ outcome }) => outcome === "denied");
  if (denied.length < atLeast) return tooFew(denied.length, "denied", atLeast);
  const groups = new Map<string, ReadCall[]>();
  for await (const decided of withPauses(denied)) {
    const read = readCall(decided);
    if (!read || policy.evaluate(decided.call).kind === "deny") continue;
    groups.set(read.shape, [...(groups.get(read.shape) ?? []), read]);
  }
  const [largest = []] = [...groups.values()].sort((one, other) => other.length - one.length);
  // What differs is not described: to refuse too much is the lesser error, and people see what is refused.
  const constrained = await flatMapWithPauses(constrainable(largest), (argument) =>
    argument.kind !== "list" && withFrequentValue(largest, argument).length >= atLeast ? [argument] : [],
  );
  const blocking = calls.filter(({ outcome }) => outcome !== "denied");
  const found = await tightestCondition({
    calls: largest,
    constrained,
    atLeast,
    guarded: true,
    coversOther: (when) => firstCovered(when, blocking, { inDoubt: true }),
  });
  if (!found)
    return { why: `no condition covers ${atLeast} denied calls and none that was decided otherwise` };
  if (constrained.length === 0) {
    return { why: "its denied calls have no value in common that a condition could name" };
  }
  const { when } = found;
  const place = placeFor(places, found.calls);
  if (!place) return { why: "no single rule of these files asks about the calls that were denied" };
  const rule = {
    id: freeId(places, `denied-${toolName}`),
    tools: toolName,
    verdict: "deny",
    when,
    reason: "People denied all calls like this one",
  };
  const comment = `countersign policy suggest: people denied ${found.calls.length} calls like this`;
  const { file, list, index: after } = place;
  return {
    toolName,
    verdict: "deny",
    when,
    calls: found.calls.map(({ decided }) => decided),
    edits: [{ file, edit: { kind: "rule", list, after, rule, comment } }],
  };
}

/** The rule after which a stricter one belongs: one that asks about all the calls, or a default. */
function placeFor(places: readonly PolicyPlace[], calls: readonly ReadCall[]): PolicyPlace | undefined {
  const asking = places.filter(({ verdict }) => verdict === "ask" || verdict === "manual");
  const ruled = asking.find(({ rule }) => rule && calls.every(({ decided }) => rule.appliesTo(decided.call)));
  return ruled ?? asking.find(({ rule }) => !rule);
}
