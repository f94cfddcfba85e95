import { flatMapWithPauses, withPauses } from "../../shared/with-pauses.js";
import { type CallArgument, hasRange, isNameable, type ReadCall, valueAt } from "./call-arguments.js";

/** How many calls must have a value before a condition names it, or lie at or beyond a bound. */
const minRepetitions = 3;
const maxValues = 5;

/** The arguments that a condition can name or bound, for calls of one shape. */
export function constrainable(calls: readonly ReadCall[]): CallArgument[] {
  return (calls[0]?.arguments ?? []).filter(({ kind }) => !["object", "hidden", "large"].includes(kind));
}

/** Values by how often they occur, the most frequent first. */
function counted(calls: readonly ReadCall[], { path }: CallArgument): { text: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const call of calls) {
    const text = JSON.stringify(valueAt(call, path));
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .map(([text, count]) => ({ text, count }))
    .sort((one, other) => other.count - one.count || (one.text < other.text ? -1 : 1));
}

/** The calls in which an argument has one of its few frequent values. All calls, if it may lie in a range. */
export function withFrequentValue(calls: readonly ReadCall[], argument: CallArgument): readonly ReadCall[] {
  if (hasRange(argument)) return calls.filter((call) => isNameableAt(call, argument));
  const frequent = counted(calls, argument)
    .filter(
      ({ count, text }) => count >= minRepetitions && isNameable({ ...argument, value: JSON.parse(text) }),
    )
    .slice(0, argument.kind === "bool" ? 1 : maxValues);
  const texts = new Set(frequent.map(({ text }) => text));
  return calls.filter((call) => texts.has(JSON.stringify(valueAt(call, argument.path))));
}

function isNameableAt(call: ReadCall, { kind, path }: CallArgument): boolean {
  return isNameable({ kind, value: valueAt(call, path) });
}

/** The calls in which each of these arguments has one of its few frequent values. */
export async function withFrequentValues(
  calls: readonly ReadCall[],
  constrained: readonly CallArgument[],
): Promise<readonly ReadCall[]> {
  let kept = calls;
  for (;;) {
    const before = kept.length;
    for await (const argument of withPauses(constrained)) kept = withFrequentValue(kept, argument);
    if (kept.length === before) return kept;
  }
}

/** Leaves out up to two calls at each end of a range, so that no single unusual call stretches it. */
export function withoutOutliers(
  calls: readonly ReadCall[],
  argument: CallArgument,
  atLeast: number,
): readonly ReadCall[] {
  if (!hasRange(argument)) return calls;
  const spare = Math.max(0, Math.floor((calls.length - atLeast) / 2));
  const dropped = Math.min(minRepetitions - 1, spare);
  const numbers = calls.map((call) => Number(valueAt(call, argument.path))).sort((a, b) => a - b);
  const low = numbers[dropped] ?? 0;
  const high = numbers[numbers.length - 1 - dropped] ?? 0;
  return calls.filter((call) => {
    const value = Number(valueAt(call, argument.path));
    return value >= low && value <= high;
  });
}

/** The largest group of calls that differ from `other` in one argument. Always smaller than all calls together. */
export async function apartFrom(
  calls: readonly ReadCall[],
  other: ReadCall,
  constrained: readonly CallArgument[],
): Promise<readonly ReadCall[]> {
  const groups = await flatMapWithPauses(constrained, (argument) => {
    const theirs = valueAt(other, argument.path);
    const where = (holds: (value: unknown) => boolean) =>
      calls.filter((call) => holds(valueAt(call, argument.path)));
    if (hasRange(argument)) {
      return [
        where((value) => Number(value) < Number(theirs)),
        where((value) => Number(value) > Number(theirs)),
      ];
    }
    return [where((value) => JSON.stringify(value) !== JSON.stringify(theirs))];
  });
  return groups
    .filter((group) => group.length < calls.length)
    .reduce<readonly ReadCall[]>((largest, group) => (group.length > largest.length ? group : largest), []);
}
