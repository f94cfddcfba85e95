import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import type { Policy } from "@countersign/policy/internal/policy/policy";
import { inForce, versionOf } from "@countersign/policy/internal/policy/policy-versions";
import { crashPoint } from "@countersign/policy/internal/shared/crash-point";
import { type SpanContext, span } from "@countersign/policy/internal/shared/span";
import type { Approval } from "../approval/approval.js";
import { CountsChanged } from "../approval/counts-changed.js";
import { proposedOf } from "../approval/proposed.js";
import { isProposedBy } from "../approval/proposed-digest.js";
import {
  allowedBefore,
  approvalMissing,
  deniedByPolicy,
  refusalFor,
  refusalWithoutDecision,
} from "../approval/refusal-text.js";
import type { Stop } from "../stops/stop.js";
import type { ProposalCounts, ProposedCall } from "../store/ports/request-port.js";
import { type ConcludedCall, concludeCalls, type Said, type SaidCall } from "./conclude-calls.js";
import {
  type AskedCall,
  type Asking,
  type GateOutcome,
  type GateRuntime,
  type Judged,
  RenamedCall,
} from "./gate.js";
import { noteRefusal, refusalUnderStop } from "./refusals.js";

/** Calls that are judged at the same time. A preview may take seconds, and may need a connection of the host's. */
const atOnce = 10;

/** Attempts to judge calls by numbers that others change meanwhile. Each change that matters makes a verdict stricter. */
const maxRecounts = 20;

/** A call with its verdict, and the row that will be written if people must decide it. */
interface CallToWrite {
  call: AskedCall;
  /** `undefined` if an earlier request wrote the row. */
  judged: Judged | undefined;
  described: ProposedCall | undefined;
}

/** The rows of calls, and the span that wrote them. */
interface Written {
  rows: readonly Approval[];
  context?: SpanContext | undefined;
}

/** A row that an earlier attempt wrote, and the version of the policy that judged it, if this process has it. */
interface EarlierRow {
  row: Approval;
  policy: Policy | undefined;
}

/**
 * The one way for calls to get in. Refuses calls that a stop covers or for which the run has no room, lets the way in
 * judge the others, and writes all but the plainly allowed ones in one transaction. Each refusal without a row is in the
 * audit log. A row that holds anything but what is proposed here lets nothing run.
 *
 * Runs inside a step, if there is a run: its outcomes hold for the whole run. Idempotent: what an earlier attempt of the
 * step wrote stays as it is, under whatever policy this process has.
 *
 * @returns the outcome of each call, in their order
 * @throws RenamedCall
 */
export async function proposeCalls(runtime: GateRuntime, asking: Asking): Promise<GateOutcome[]> {
  const known = await knownOf(runtime, asking);
  // A policy's file may be replaced while the calls are judged.
  const gate = { ...runtime, policy: inForce(runtime.policy) };
  const earlier = known.map((row) => ({ row, policy: versionOf(runtime.policy, row.policyVersion) }));
  const { calls, written, context } = await judgeAndWrite(gate, asking, earlier);
  const foreign = asking.runId === null ? undefined : foreignRow(asking, calls, written, earlier);
  // Another attempt of the step wrote first, so its rows hold, under the policy that judged them.
  if (foreign && known.length === 0) return proposeCalls(runtime, asking);
  if (foreign) await gate.store.withdrawRequest(asking.requestId, foreign);
  const outcomes: GateOutcome[] = [];
  for (const { call, judged } of calls) {
    const row = written.find(({ position }) => position === call.position);
    if (row && call.isSame && !call.isSame(row)) outcomes.push({ kind: "taken", approval: row });
    // A call that the other policy has denied is not withdrawn, and says so.
    else if (row) {
      outcomes.push(
        foreign && row.verdict !== "deny" ? withdrawn(row, foreign) : outcomeOf(gate, row, context),
      );
    } else if (judged && judged.kind !== "gated") outcomes.push(judged);
    else outcomes.push(await withoutRow(gate, asking, call));
  }
  // An earlier attempt may have written the calls and died before it sent the events. Inngest ignores an event whose id
  // it has received.
  const unasked = outcomes.flatMap((outcome) => (outcome.kind === "approved" ? outcome.approval : []));
  if (unasked.length > 0) crashPoint("before-notified-event");
  await gate.sendNotified(unasked);
  return outcomes;
}

/** The rows that an earlier attempt of the step wrote. Calls that the run has proposed under another name are refused. */
async function knownOf(
  { store }: GateRuntime,
  { requestId, runId, ofModel }: Asking,
): Promise<readonly Approval[]> {
  if (runId === null || !ofModel) return store.approvalsOf(requestId);
  const found = await store.approvalsOf(requestId, { runId, callIds: ofModel.ids });
  const known = found.filter((row) => row.requestId === requestId);
  const problem = known.length === 0 && found.length > 0 ? await ofModel.problemOf(found) : undefined;
  if (problem !== undefined) throw new RenamedCall(problem);
  return known;
}

/** A call that the first attempt of the step allowed and this one does not: it may have run, so it gets no row. */
async function withoutRow(
  gate: GateRuntime,
  { tenantId, runId }: Asking,
  { toolName }: AskedCall,
): Promise<GateOutcome> {
  const refusal = runId === null ? approvalMissing(toolName) : allowedBefore(toolName);
  await noteRefusal(gate, { tenantId, toolName, runId }, refusal);
  return { kind: "refused", refusal };
}

/**
 * Judges the calls, and writes those that need a row. If what was counted meanwhile changes a verdict, all are concluded
 * again; the verdicts of the ways in stay.
 */
async function judgeAndWrite(
  gate: GateRuntime,
  asking: Asking,
  known: readonly EarlierRow[],
): Promise<{ calls: CallToWrite[]; written: readonly Approval[]; context: SpanContext | undefined }> {
  const said = await readVerdicts(gate, asking, known);
  for (let recounts = 0; ; recounts += 1) {
    const { concluded, counts } = await concludeCalls(gate, asking, said);
    // Their safety checks run side by side.
    const calls = await Promise.all(concluded.map(described));
    try {
      const { rows, context }: Written =
        known.length > 0 ? { rows: known.map(({ row }) => row) } : await write(gate, asking, calls, counts);
      for (const { settle } of concluded) await settle();
      return { calls, written: rows, context };
    } catch (error) {
      if (!CountsChanged.isInstance(error) || recounts >= maxRecounts) throw error;
    }
  }
}

/** Asks the way in for its verdict on each call, a few at a time. A call whose earlier row is the same keeps that row. */
async function readVerdicts(
  gate: GateRuntime,
  asking: Asking,
  known: readonly EarlierRow[],
): Promise<SaidCall[]> {
  const stops = known.length < asking.calls.length ? await gate.store.engagedStops() : [];
  const places = asking.calls.map((call) => ({
    call,
    earlier: known.find(({ row }) => row.position === call.position),
  }));
  const said: SaidCall[] = [];
  for (let at = 0; at < places.length; at += atOnce) {
    const judging = places.slice(at, at + atOnce).map(async ({ call, earlier }) => {
      const isJudged = !(earlier && call.isSame);
      return {
        call,
        earlier: earlier?.row,
        said: isJudged ? await judgeCall(gate, asking, call, { earlier, stops }) : undefined,
      };
    });
    said.push(...(await Promise.all(judging)));
  }
  return said;
}

/** The verdict on a call: of an engaged stop, or else of its way in. */
async function judgeCall(
  gate: GateRuntime,
  { tenantId, runId }: Asking,
  call: AskedCall,
  { earlier, stops }: { earlier: EarlierRow | undefined; stops: readonly Stop[] },
): Promise<Said> {
  const place = { tenantId, toolName: call.toolName, runId };
  const stopped = earlier ? undefined : await refusalUnderStop(gate, place, stops);
  if (stopped) return { kind: "stopped", refusal: stopped };
  const policy = earlier && !call.hasOwnTerms ? earlier.policy : gate.policy;
  if (!policy) return { kind: "refused", refusal: approvalMissing(call.toolName) };
  return call.judge(policy, earlier?.row);
}

async function described({ call, judged, earlier, counted }: ConcludedCall): Promise<CallToWrite> {
  if (judged?.kind !== "gated") return { call, judged, described: undefined };
  const row = await judged.describe();
  const { counts, countedIn } = earlier?.terms ?? counted;
  return {
    call,
    judged,
    described: { ...row, terms: { ...row.terms, counts, countedIn }, countedAs: counted.countedAs },
  };
}

/**
 * Writes the calls that need a row. If there is none, and some call is allowed, that is recorded: the engine may not keep the
 * output of this attempt, and another attempt, with another policy, must not ask for a call that has run.
 */
async function write(
  { store, signer, limits, tracer }: GateRuntime,
  { steps: _, calls: __, ofModel: ___, modelText, ...request }: Asking,
  judged: readonly CallToWrite[],
  counts: ProposalCounts | undefined,
): Promise<Written> {
  const calls = judged.flatMap((call) => call.described ?? []);
  if (calls.length === 0) {
    const { runId, tenantId, requestId } = request;
    const runsUnasked = judged.some((call) => call.judged?.kind === "allowed");
    return {
      rows: runId !== null && runsUnasked ? await store.recordAllowed({ tenantId, runId, requestId }) : [],
    };
  }
  const { GrantConditions } = await import("../grants/grant-conditions.js");
  const conditions = new GrantConditions();
  const attributes = {
    "countersign.request.id": request.requestId,
    "countersign.tenant.id": request.tenantId,
  };
  return span(tracer, "propose", attributes, async (add, context) => {
    const rows = await store.propose(
      {
        ...request,
        modelText: modelText?.(calls) ?? null,
        calls,
        counts,
        limits,
        meetsCondition: (...grant) => conditions.hold(...grant),
      },
      signer,
    );
    add({
      "countersign.approval.ids": rows.map(({ id }) => id),
      "countersign.tool.names": rows.map(({ toolName }) => toolName),
      "countersign.verdicts": rows.map(({ verdict }) => verdict),
    });
    return { rows, context };
  });
}

/**
 * Why the rows of a request cannot be trusted: one of them is not a call that this run proposes. Either somebody wrote
 * or changed it before the run recorded its digest, or it was proposed under a policy that this process no longer has.
 */
function foreignRow(
  asking: Asking,
  calls: readonly CallToWrite[],
  rows: readonly Approval[],
  earlier: readonly EarlierRow[],
): WithdrawalCause | undefined {
  const foreign = rows.find((row) => {
    const own = calls.find(({ call }) => call.position === row.position)?.described;
    return !own || !isProposedBy(asking, own, row);
  });
  if (!foreign) return undefined;
  const hadItsPolicy = earlier.some(({ row, policy }) => row.id === foreign.id && policy);
  return hadItsPolicy ? "digest_changed" : "policy_changed";
}

function withdrawn(approval: Approval, withdrawalCause: WithdrawalCause): GateOutcome {
  const ended = { ...approval, status: "withdrawn", withdrawalCause } as const;
  return {
    kind: "refused",
    refusal: refusalFor(ended) ?? approvalMissing(approval.toolName),
    approval: ended,
  };
}

/** The outcome of a call whose row this run has just proposed. A decision, if there is one, is read later. */
function outcomeOf({ signer }: GateRuntime, approval: Approval, context?: SpanContext): GateOutcome {
  const { id, verdict, reason, toolName } = approval;
  const refusal =
    verdict === "deny" ? deniedByPolicy(toolName, reason, id) : refusalWithoutDecision(approval);
  if (refusal) return { kind: "refused", refusal, approval };
  const proposed = proposedOf(approval, signer !== undefined, context);
  // Approved without asking: by the policy or by a grant.
  const runsUnasked = verdict === "notify" || approval.grantId !== null;
  return { kind: runsUnasked ? "approved" : "waits", approval, proposed };
}
