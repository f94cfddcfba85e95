import { amountAt } from "../shared/amount-at.js";
import { hashCanonical } from "../shared/canonical-hash.js";
import { durationMs } from "../shared/duration.js";
import { ownField } from "../shared/value-at-path.js";
import { negationProblem } from "./rules/tool-pattern.js";

/** The longest time over which calls are counted. Calls that were counted are kept at least that long. */
export const maxWindow = "31d";

/** Whose calls are counted together, without those of a path. */
const countedPer = ["requester", "thread", "tenant"] as const;

/** Which calls a limit counts, and what of them. */
export interface Series {
  /** Exact tool name or glob. */
  tool: string;
  /** Path of the argument that is added up; `null` counts the calls themselves. */
  amount: string | null;
  /** Whose calls are counted together: `countedPer`, or `input.` and the path of an argument that must be equal. */
  per: string;
}

/** A number over time that a condition reads, such as `spent("issue_refund", "amount", "24h")`. */
export interface Count extends Series {
  /** The time up to now, such as "24h". */
  window: string;
  /** The condition as written, in its shortest form. Names the count. */
  text: string;
  /** The number with which a condition compares it; `null` if it does something else. */
  limit: number | null;
}

/** What limits over time counted, by the condition as written: `{ 'calls("issue_refund", "1h")': 3 }`. */
export type Counted = Readonly<Record<string, number>>;

/** What a count came to for a call, with the call itself; `null` if its arguments have no such amount. */
export interface RecordedCount extends Count {
  total: number | null;
}

/** Why arguments in a condition cannot name a count. */
export class CountProblem extends Error {}

/**
 * The count that `calls(tool, window, per)` or `spent(tool, amount, window, per)` names.
 *
 * @throws CountProblem
 */
export function countNamed(name: "calls" | "spent", args: readonly string[]): Count {
  const [tool = "", ...rest] = args;
  const amount = name === "spent" ? withoutInput(rest.shift() ?? "") : null;
  const [window = "", written = "requester"] = rest;
  const per = isNamed(written) ? written : `input.${withoutInput(written)}`;
  for (const [what, path] of [
    ["amount", amount],
    ["per", written],
  ] as const) {
    if (path !== null && !isPath(path)) {
      throw new CountProblem(
        `${name}(): "${path}" is no path of an argument for ${what}, such as "order.total"`,
      );
    }
  }
  const ms = durationMs(window) ?? 0;
  if (ms < 1000 || ms > (durationMs(maxWindow) ?? 0)) {
    throw new CountProblem(
      `${name}(): "${window}" must be a duration between one second and ${maxWindow}, such as "24h"`,
    );
  }
  if (tool === "") throw new CountProblem(`${name}(): the name of the tool is missing`);
  const negated = negationProblem(tool);
  if (negated !== undefined) throw new CountProblem(`${name}(): "${tool}" ${negated}`);
  const shortest = [
    tool,
    ...(amount === null ? [] : [amount]),
    window,
    ...(per === "requester" ? [] : [per]),
  ];
  const text = `${name}(${shortest.map((argument) => JSON.stringify(argument)).join(", ")})`;
  return { tool, amount, per, window, text, limit: null };
}

function isNamed(per: string): boolean {
  return (countedPer as readonly string[]).includes(per);
}

function isPath(path: string): boolean {
  return path.split(".").every((key) => key !== "" && key !== "*");
}

function withoutInput(path: string): string {
  return path.startsWith("input.") ? path.slice("input.".length) : path;
}

/** A counter to which a call belongs, and what it adds. */
export interface CountedAs {
  /** Names a series and whose calls it counts together. A hash, because it may come from an argument. */
  counter: string;
  /** 1 in a series of calls; `null` if the arguments have no such amount. */
  amount: number | null;
}

/** What a counter needs to know of a call. */
export interface CountedCall {
  input: unknown;
  requesterId: string | null;
  threadId: string | null;
}

/** The counters to which a call belongs. */
export function countedAs(series: readonly Series[], call: CountedCall): CountedAs[] {
  return series.flatMap((one) => {
    const counter = counterOf(one, call);
    return counter === undefined ? [] : [{ counter, amount: amountOf(one, call) }];
  });
}

/** Where the calls of a call's requester, thread or tenant, or with its argument, are counted; `undefined` if it has none. */
export function counterOf({ tool, amount, per }: Series, call: CountedCall): string | undefined {
  const who = whoOf(per, call);
  return who === undefined ? undefined : hashCanonical([tool, amount, per, who]);
}

/** What a call of the series' tool adds. */
export function amountOf({ amount }: Series, { input }: CountedCall): number | null {
  return amount === null ? 1 : (amountAt(input, amount) ?? null);
}

/** Calls without a requester or a thread are counted together. */
function whoOf(per: string, { input, requesterId, threadId }: CountedCall): unknown {
  switch (per) {
    case "tenant":
      return null;
    case "requester":
      return requesterId;
    case "thread":
      return threadId;
    default: {
      const field = ownField(input, withoutInput(per));
      const isPlain = field.found && ["string", "number", "boolean"].includes(typeof field.value);
      return isPlain ? field.value : undefined;
    }
  }
}

/** A sum without the noise of binary fractions: what is added up are decimal numbers. */
export function sumOf(amounts: readonly number[]): number {
  return Number(amounts.reduce((sum, amount) => sum + amount, 0).toPrecision(15));
}
