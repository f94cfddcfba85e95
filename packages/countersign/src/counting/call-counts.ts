import type { Counted } from "@countersign/policy/internal/policy/counts";
import {
  amountOf,
  type Count,
  type CountedCall,
  counterOf,
  type RecordedCount,
  sumOf,
} from "@countersign/policy/internal/policy/counts";
import type { Policy } from "@countersign/policy/internal/policy/policy";
import type { ToolFacts } from "@countersign/policy/internal/policy/policy-call";
import { nameMatches } from "@countersign/policy/internal/policy/rules/tool-pattern";
import { checkedDurationMs } from "@countersign/policy/internal/shared/duration";
import type { Approval } from "../approval/approval.js";
import type { CountQuery, RequestPort } from "../store/ports/request-port.js";

/** A count for one call: what to read of other calls, and what the call adds itself. */
export interface CallCount {
  count: Count;
  /** `undefined` if the call has none, such as no argument that must be equal. */
  query: CountQuery | undefined;
  /** `null` if its arguments have no such amount. */
  own: number | null;
}

/** What to count for a call. */
export function countsOfCall(
  counts: readonly Count[],
  call: CountedCall & { toolName: string },
): CallCount[] {
  return counts.map((count) => {
    const counter = counterOf(count, call);
    return {
      count,
      query: counter === undefined ? undefined : { counter, windowMs: checkedDurationMs(count.window) },
      own: nameMatches(count.tool, call.toolName) ? amountOf(count, call) : 0,
    };
  });
}

/** What was counted of other calls, by counter and window. */
export type Others = ReadonlyMap<string, number>;

/** One query for each counter and window. */
export function queriesOf(calls: readonly CallCount[]): CountQuery[] {
  const queries = calls.flatMap(({ query }) => query ?? []);
  return [...new Map(queries.map((query) => [nameOf(query), query])).values()];
}

export function othersOf(queries: readonly CountQuery[], numbers: readonly number[]): Others {
  return new Map(queries.map((query, index) => [nameOf(query), numbers[index] ?? 0]));
}

function nameOf({ counter, windowMs }: CountQuery): string {
  return `${counter} ${windowMs}`;
}

/** The numbers for one call: of others, of earlier calls in its response, and its own. */
export function totals(
  counts: readonly CallCount[],
  others: Others,
  inResponse: ReadonlyMap<string, number[]> = new Map(),
): RecordedCount[] {
  return counts.map(({ count, query, own }) => {
    if (!query || own === null) return { ...count, total: null };
    const before = inResponse.get(query.counter) ?? [];
    const total = sumOf([others.get(nameOf(query)) ?? 0, ...before, own]);
    // Amounts that are numbers may add up to none.
    return { ...count, total: Number.isFinite(total) ? total : null };
  });
}

/** What rules read of the numbers. Without an amount, none. */
export function countedOf(counts: readonly RecordedCount[]): Counted {
  return Object.fromEntries(counts.flatMap(({ text, total }) => (total === null ? [] : [[text, total]])));
}

interface CountingRuntime {
  store: Pick<RequestPort, "readCounts">;
  policy: Policy;
}

type Which = Parameters<RequestPort["readCounts"]>[2];

/** What rules count for a call that is not among the counted ones, or whose arguments a person wants to change. */
export async function readCounted(
  { store, policy }: CountingRuntime,
  tool: ToolFacts,
  { tenantId, ...call }: CountedCall & { tenantId: string },
  which?: Which,
): Promise<Counted> {
  const counts = countsOfCall(policy.countsFor?.(tool) ?? [], { ...call, toolName: tool.toolName });
  const queries = queriesOf(counts);
  const numbers = queries.length > 0 ? await store.readCounts(tenantId, queries, which) : [];
  return countedOf(totals(counts, othersOf(queries, numbers)));
}

/**
 * What rules count for a call that is about to start: the calls counted before it, so that later ones do not change its
 * verdict. A call that has started before is judged by the numbers that it was approved with.
 */
export async function countedAtStart(
  gate: CountingRuntime,
  tool: ToolFacts,
  approval: Approval,
): Promise<Counted> {
  if (approval.status !== "approved") return countedOf(approval.terms.counts);
  const { edited, inputJson, tenantId, requesterId, threadId, id: before } = approval;
  const input = JSON.parse(edited?.inputJson ?? inputJson);
  return readCounted(gate, tool, { input, tenantId, requesterId, threadId }, { before });
}
