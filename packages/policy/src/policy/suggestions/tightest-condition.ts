import { flatMapWithPauses, withPauses } from "../../shared/with-pauses.js";
import {
  apartFrom,
  constrainable,
  withFrequentValue,
  withFrequentValues,
  withoutOutliers,
} from "./alike-calls.js";
import { type CallArgument, hasRange, type ReadCall, valueAt } from "./call-arguments.js";
import { fieldText, literalText } from "./literals.js";

/** A condition, and the calls that it covers. */
export interface TightCondition {
  when: string;
  calls: readonly ReadCall[];
}

export interface ConditionSearch {
  /** Calls of one shape, which the condition should cover. */
  calls: readonly ReadCall[];
  /** The arguments that it describes. All others are only named. */
  constrained: readonly CallArgument[];
  atLeast: number;
  /** A call that it must not cover, but does. */
  coversOther(when: string): Promise<ReadCall | undefined>;
  /** Whether it must be false, and never fail, for calls of another shape. */
  guarded: boolean;
}

/** The tightest condition that covers enough of the calls and none of the others; `undefined` if there is none. */
export async function tightestCondition(search: ConditionSearch): Promise<TightCondition | undefined> {
  const { constrained, atLeast, coversOther, guarded } = search;
  let calls = await withFrequentValues(search.calls, constrained);
  for (;;) {
    if (calls.length < atLeast) return undefined;
    const other = await coversOther(await conditionOf(calls, constrained, guarded));
    if (!other) break;
    calls = await withFrequentValues(await apartFrom(calls, other, constrained), constrained);
  }
  for await (const argument of withPauses(constrained)) calls = withoutOutliers(calls, argument, atLeast);
  return { when: await conditionOf(calls, constrained, guarded), calls };
}

/** The arguments that no condition can describe for enough of the calls, because their values are hidden or differ. */
export async function varyingArguments(
  calls: readonly ReadCall[],
  atLeast: number,
): Promise<{ hidden: CallArgument[]; varying: CallArgument[] }> {
  const all = calls[0]?.arguments ?? [];
  const rare = await flatMapWithPauses(constrainable(calls), (argument) =>
    withFrequentValue(calls, argument).length < atLeast ? [argument] : [],
  );
  return {
    hidden: all.filter(({ kind }) => kind === "hidden"),
    varying: [...all.filter(({ kind }) => kind === "large"), ...rare],
  };
}

/** What the calls have in common, over all of their arguments, so that it holds for no call with other ones. */
async function conditionOf(
  calls: readonly ReadCall[],
  constrained: readonly CallArgument[],
  guarded: boolean,
): Promise<string> {
  const all = calls[0]?.arguments ?? [];
  const objects = all.filter(({ kind }) => kind === "object");
  const described = new Set(constrained.map(({ path }) => path.join("\0")));
  return [
    ...(guarded
      ? all.flatMap((argument) => guardsOf(argument, described.has(argument.path.join("\0"))))
      : []),
    ...(await flatMapWithPauses(constrained, (argument) => boundsOf(calls, argument))),
    ...objects.map(sizeOf),
  ].join(" && ");
}

const celTypes = { object: "map", number: "double", string: "string", bool: "bool", list: "list" } as const;

/** What keeps a condition from failing for a call with other arguments. A `deny` whose condition fails applies. */
function guardsOf({ path, kind }: CallArgument, isDescribed: boolean): string[] {
  const parent = fieldText(path.slice(0, -1));
  const key = path.at(-1) ?? "";
  const keys = path.length === 2 ? parent : `keys(${parent})`;
  const exists = path.length < 2 ? [] : [`${JSON.stringify(key)} in ${keys}`];
  const type = celTypes[kind as keyof typeof celTypes];
  const typed = type && (isDescribed || kind === "object") ? [`type(${fieldText(path)}) == ${type}`] : [];
  return [...exists, ...typed];
}

/** `size(input.to)` would be ambiguous: `to` could be a list. */
function sizeOf({ path, value }: CallArgument): string {
  const field = fieldText(path);
  return `size(${path.length === 1 ? field : `keys(${field})`}) == ${value}`;
}

function boundsOf(calls: readonly ReadCall[], argument: CallArgument): string[] {
  const field = fieldText(argument.path);
  const values = calls.map((call) => valueAt(call, argument.path));
  if (hasRange(argument)) {
    const numbers = values.map(Number);
    const low = numbers.reduce((a, b) => Math.min(a, b));
    const high = numbers.reduce((a, b) => Math.max(a, b));
    if (low === high) return [`${field} == ${literalText(low)}`];
    return [`${field} >= ${literalText(low)}`, `${field} <= ${literalText(high)}`];
  }
  const literals = [...new Set(values.map((value) => literalText(value) ?? "null"))].sort();
  return [literals.length === 1 ? `${field} == ${literals[0]}` : `${field} in [${literals.join(", ")}]`];
}
