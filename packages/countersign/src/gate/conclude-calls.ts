import { isDeepStrictEqual } from "node:util";
import {
  type CountedAs,
  countedAs,
  type RecordedCount,
  type Series,
} from "@countersign/policy/internal/policy/counts";
import type { Evaluation } from "@countersign/policy/internal/policy/policy";
import type { Approval } from "../approval/approval.js";
import { type Refusal, runNearlyFull } from "../approval/refusal-text.js";
import {
  type CallCount,
  countedOf,
  countsOfCall,
  type Others,
  othersOf,
  queriesOf,
  totals,
} from "../counting/call-counts.js";
import type { ProposalCounts } from "../store/ports/request-port.js";
import type { AskedCall, Asking, Concluded, Counting, GateRuntime, Judged } from "./gate.js";
import { noteRefusal } from "./refusals.js";

/** Maximum steps of each further gated call of a response, in addition to those of the first. */
const stepsPerCall = 2;

/** What a stop or the way in says about a call, before anything is counted. */
export type Said = Judged | Counting | { kind: "stopped"; refusal: Refusal };

export interface SaidCall {
  call: AskedCall;
  /** The row that an earlier attempt wrote. */
  earlier: Approval | undefined;
  /** `undefined` if the row is not judged again. */
  said: Said | undefined;
}

/** What a call's verdict rests on, and where the call itself is counted. */
interface CallCounts {
  counts: RecordedCount[];
  countedIn: Series[];
  countedAs: CountedAs[];
}

const notCounted: CallCounts = { counts: [], countedIn: [], countedAs: [] };

/** A call with its verdict under the numbers of this moment. */
export interface ConcludedCall extends SaidCall {
  judged: Judged | undefined;
  counted: CallCounts;
  /** Records what becomes of the call besides its row, once that is certain. */
  settle(): Promise<void>;
}

/**
 * Concludes the verdicts of a response's calls in their order: each counts those before it. With `counts`, they are
 * confirmed when the calls are written.
 */
export async function concludeCalls(
  gate: GateRuntime,
  asking: Asking,
  said: readonly SaidCall[],
): Promise<{ concluded: ConcludedCall[]; counts: ProposalCounts | undefined }> {
  const queries = queriesOf(said.flatMap((each) => countsFor(asking, each)));
  const { tenantId } = asking;
  const numbers = queries.length > 0 ? await gate.store.readCounts(tenantId, queries) : [];
  const { concluded, evaluations } = conclude(gate, asking, said, othersOf(queries, numbers));
  if (evaluations.length === 0) return { concluded, counts: undefined };
  const stand = (now: readonly number[]) =>
    isDeepStrictEqual(conclude(gate, asking, said, othersOf(queries, now)).evaluations, evaluations);
  return { concluded, counts: { queries, stand } };
}

function conclude(gate: GateRuntime, asking: Asking, said: readonly SaidCall[], others: Others) {
  const concluded: ConcludedCall[] = [];
  const evaluations: Evaluation[] = [];
  const inResponse = new Map<string, number[]>();
  let gated = 0;
  for (const each of said) {
    const { earlier } = each;
    const numbers = totals(countsFor(asking, each), others, inResponse);
    const own = ownVerdict(each.said, numbers);
    if (own.evaluation) evaluations.push(own.evaluation);
    const judged = own.judged && withinRun(gate, asking, each, own.judged, gated);
    if (judged?.kind === "gated") gated += 1;
    const counted = earlier ? notCounted : countsOf(gate, asking, each.call, judged, numbers);
    for (const { counter, amount } of counted.countedAs) {
      if (amount !== null) inResponse.set(counter, [...(inResponse.get(counter) ?? []), amount]);
    }
    concluded.push({ ...each, judged, counted, settle: () => settle(gate, asking, each, own, judged) });
  }
  return { concluded, evaluations };
}

function ownVerdict(said: Said | undefined, numbers: readonly RecordedCount[]): Partial<Concluded> {
  if (said?.kind === "stopped") return { judged: { kind: "refused", refusal: said.refusal } };
  if (said?.kind === "counting") return said.conclude(countedOf(numbers));
  return said ? { judged: said } : {};
}

/** The verdict, unless the run has no room for the call: Inngest fails a run with too many steps after all of its calls ran. */
function withinRun(
  { limits }: GateRuntime,
  { steps }: Asking,
  { call, earlier }: SaidCall,
  judged: Judged,
  gatedBefore: number,
): Judged {
  const isFull =
    judged.kind === "gated" &&
    judged.verdict !== "deny" &&
    !earlier &&
    steps + stepsPerCall * gatedBefore >= limits.stepsPerRun;
  return isFull ? { kind: "refused", refusal: runNearlyFull(call.toolName, steps) } : judged;
}

/** What to count for a call whose verdict rests on it. */
function countsFor(asking: Asking, { call, said }: SaidCall): CallCount[] {
  return said?.kind === "counting" ? countsOfCall(said.counts, seenBy(asking, call)) : [];
}

function countsOf(
  { policy }: GateRuntime,
  asking: Asking,
  call: AskedCall,
  judged: Judged | undefined,
  counts: RecordedCount[],
): CallCounts {
  if (judged?.kind !== "gated") return notCounted;
  const seen = seenBy(asking, call);
  const countedIn = [...(policy.countedIn?.(seen) ?? [])];
  // A denied call never counts.
  return { counts, countedIn, countedAs: judged.verdict === "deny" ? [] : countedAs(countedIn, seen) };
}

/** The call as counters see it. */
function seenBy({ requesterId, threadId }: Asking, { toolName, input }: AskedCall) {
  return { toolName, input, requesterId, threadId };
}

async function settle(
  gate: GateRuntime,
  { tenantId, runId }: Asking,
  { call: { toolName }, earlier, said }: SaidCall,
  own: Partial<Concluded>,
  judged: Judged | undefined,
): Promise<void> {
  if (earlier) return;
  await own.settle?.();
  // A refusal under a stop is in the log already.
  if (judged?.kind !== "refused" || said?.kind === "stopped") return;
  await noteRefusal(gate, { tenantId, toolName, runId }, judged.refusal);
}
