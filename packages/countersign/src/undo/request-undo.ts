import { randomUUID } from "node:crypto";
import { decisionTerms, proposedCall } from "../agent-hook/review/proposed-call.js";
import type { Runtime } from "../agent-hook/run/runtime.js";
import { policyCall } from "../agent-hook/tool/policy-call.js";
import { toolVersion } from "../agent-hook/tool/tool-version.js";
import type { Approval, Undoes } from "../approval/approval.js";
import { isOpen } from "../approval/status.js";
import { undoMs, whyNotUndoable } from "../approval/undo-window.js";
import { withPatterns } from "../approval/visible-arguments.js";
import { mayDecide, maySee, mustLeaveToOthers } from "../approval/who-decides.js";
import type { Decide } from "../decision/decide.js";
import { wrongPlace } from "../decision/decision-result.js";
import { requireStorable } from "../decision/require-storable.js";
import type { Counting, Judged } from "../gate/gate.js";
import { proposeCalls } from "../gate/propose-calls.js";
import type { Counted } from "../policy/counts.js";
import { inboxPlace } from "../policy/rules/rule.js";
import { summaryOf } from "../policy/summary.js";
import { redact } from "../redaction/redact.js";
import { CountersignError, errorTable } from "../shared/errors.js";
import type { Principal } from "../shared/principal.js";
import { maxUndone } from "./max-undone.js";
import { inputOfUndo, outcomeHash, subjectOfUndo, undoTool } from "./undo-call.js";
import { undoName } from "./undo-name.js";

/** A person's wish to take back a call that has run. */
export interface UndoRequest {
  /** The verified person. They must have the right to decide the call. */
  principal: Principal;
  /** The call to undo. */
  approvalId: string;
  /** The digest of that call, as it was shown. */
  digest: string;
  /** Why, for the audit log. @default none */
  reason?: string | null;
  /** Where the person asks: a channel's name. @default "inbox", which includes the API */
  place?: string;
}

/** A call to undo, and its digest as it was shown. */
export type UndoneCall = Pick<UndoRequest, "approvalId" | "digest">;

/** A person's wish to take back several calls. */
export interface UndoManyRequest extends Omit<UndoRequest, keyof UndoneCall> {
  /** At most 50, each once, in any order. */
  calls: readonly UndoneCall[];
}

/** Milliseconds during which the start of an undo is sent again: the engine ignores its event for longer than that. */
const recentMs = 3_600_000;

/** What has become of the wish to undo a call: its undo, a call of its own; or why there is none. */
export type UndoResult = { approvalId: string } & (
  | { ok: true; undo: Approval }
  | { ok: false; error: CountersignError }
);

/**
 * Undoes one call, see {@link requestUndos}.
 *
 * @returns the undo, a call of its own; that of an earlier request if there is one that may still undo the call
 */
export async function requestUndo(
  runtime: Runtime,
  decide: Decide,
  { approvalId, digest, ...asked }: UndoRequest,
): Promise<Approval> {
  const [result] = await requestUndos(runtime, decide, { ...asked, calls: [{ approvalId, digest }] });
  if (result?.ok) return result.undo;
  throw result?.error ?? new Error("unreachable: each call has a result");
}

/**
 * Proposes the undos of calls under the policy for `<tool>.undo`, and approves them in the name of the person who asks, as
 * far as they may. Then they run outside of this process, that of the latest call first. A call that cannot be undone is
 * left, and holds up no other.
 *
 * @returns a result for each call, in the order of the request
 */
export async function requestUndos(
  runtime: Runtime,
  decide: Decide,
  { calls, principal, reason = null, place = inboxPlace }: UndoManyRequest,
): Promise<UndoResult[]> {
  requireStorable("reason", reason);
  if (calls.length > maxUndone) {
    throw new CountersignError(
      "invalid_request",
      `calls: has ${calls.length} calls; the most is ${maxUndone}`,
    );
  }
  const by = { principal, reason, place };
  const read = await Promise.all(
    calls.map(async ({ approvalId }) => await runtime.store.getApproval(principal.tenantId, approvalId)),
  );
  const latestFirst = calls
    .map((shown, at) => ({ shown, at, call: read[at] }))
    .sort((one, other) => endOf(other.call) - endOf(one.call) || other.at - one.at);
  const results: { at: number; result: UndoResult }[] = [];
  let after: string | null = null;
  for (const { at, shown, call } of latestFirst) {
    const result: UndoResult = await undoOne(runtime, decide, { ...by, shown, call, after }).catch(
      (error: unknown) => {
        // What was asked for before this failure goes on, so the caller must learn of it.
        if (after === null || !CountersignError.isInstance(error)) throw error;
        return { approvalId: shown.approvalId, ok: false as const, error };
      },
    );
    results.push({ at, result });
    if (!result.ok || !mayStart(result.undo)) continue;
    after = result.undo.id;
    // An earlier request has started its own, unless that got lost, and the relay has not started it yet.
    const now = await runtime.store.now();
    const isRecent = now.getTime() - result.undo.createdAt.getTime() < recentMs;
    if (isRecent) await runtime.startUndo(result.undo.requestId);
  }
  return results.sort((one, other) => one.at - other.at).map(({ result }) => result);
}

function endOf(call: Approval | undefined): number {
  return call?.finishedAt?.getTime() ?? 0;
}

function mayStart({ status }: Approval): boolean {
  return isOpen(status) || status === "approved";
}

/** Who asks, why, and where. */
interface By {
  principal: Principal;
  reason: string | null;
  place: string;
}

async function undoOne(
  runtime: Runtime,
  decide: Decide,
  { shown, call, after, ...by }: By & { shown: UndoneCall; call: Approval | undefined; after: string | null },
): Promise<UndoResult> {
  const { approvalId } = shown;
  const { principal, reason, place } = by;
  try {
    checkRight(call, principal);
    if (!call.terms.decideIn.includes(place)) throw wrongPlace(call);
    if (call.digest !== shown.digest) {
      throw new CountersignError(
        "digest_mismatch",
        "digest: the call differs from the one you were shown. Reload it, review it, and send its current digest",
      );
    }
    const { undoId, tenantId } = call;
    const earlier = undoId === null ? undefined : await runtime.store.getApproval(tenantId, undoId);
    const why = whyNotUndoable(call, earlier);
    if (why !== undefined) throw new CountersignError("not_undoable", why);
    const isUnderWay = earlier && mayStart(earlier);
    const proposed = isUnderWay
      ? earlier
      : await proposeUndo(runtime, call, { askedBy: principal.id, reason, after });
    const undo = await announced(runtime, proposed);
    return { approvalId, ok: true, undo: await decideOwn(runtime, decide, undo, by) };
  } catch (error) {
    if (!CountersignError.isInstance(error) || errorTable[error.code].status >= 500) throw error;
    return { approvalId, ok: false, error };
  }
}

function checkRight(call: Approval | undefined, principal: Principal): asserts call is Approval {
  if (!call || !maySee(call, principal)) {
    throw new CountersignError("not_found", "The approval does not exist, or you may not see it");
  }
  if (!mayDecide(call, principal)) {
    throw new CountersignError("forbidden", "You may see this call but not undo it", {
      detail: { approvers: call.approvers },
    });
  }
  if (mustLeaveToOthers(call, principal.id)) {
    throw new CountersignError("self_approval", "You requested this call, so someone else must undo it");
  }
}

type Asked = Pick<Undoes, "askedBy" | "reason" | "after">;

async function proposeUndo(runtime: Runtime, call: Approval, asked: Asked): Promise<Approval> {
  const requestId = `req_${randomUUID()}`;
  const [outcome] = await proposeCalls(runtime, {
    requestId,
    tenantId: call.tenantId,
    threadId: call.threadId,
    runId: null,
    // A function of the app waits, although no run proposes.
    appId: runtime.appId,
    agentName: null,
    requesterId: call.requesterId,
    steps: 0,
    calls: [
      {
        position: 0,
        toolName: undoName(call.toolName),
        input: JSON.parse(inputOfUndo(call)),
        judge: () => judgeUndo(runtime, call, asked),
      },
    ],
  });
  if (outcome && "approval" in outcome && outcome.approval) return outcome.approval;
  const refusal = outcome?.kind === "refused" ? outcome.refusal : undefined;
  // The refusal's own words are for models.
  if (refusal?.code === "stopped") {
    const text = `An operator has stopped calls of ${undoName(call.toolName)}, so this call cannot be undone until they release them`;
    throw new CountersignError("stopped", text);
  }
  throw new CountersignError("not_undoable", refusal?.message ?? "It was not proposed");
}

/** Opens an undo for decisions. The one who asked first may not have done so yet, or may have died before. */
async function announced({ store }: Runtime, undo: Approval): Promise<Approval> {
  if (undo.status !== "proposed") return undo;
  const calls = await store.announce(undo.requestId);
  return calls.find(({ id }) => id === undo.id) ?? undo;
}

/** The policy's verdict on an undo. It leaves a row in any case, so that it starts at most once. */
function judgeUndo(runtime: Runtime, call: Approval, asked: Asked): Judged | Counting {
  const tool = undoTool(call);
  const subject = subjectOfUndo(call);
  const inputJson = inputOfUndo(call);
  const seen = policyCall(subject, call.policyContext.profile ?? undefined, tool, JSON.parse(inputJson));
  const counts = runtime.policy.countsFor?.(seen) ?? [];
  const conclude = (counted?: Counted) => {
    const evaluation = runtime.policy.evaluate({ ...seen, ...(counted && { counted }) });
    const { terms } = evaluation;
    const kind = evaluation.kind === "allow" ? ("notify" as const) : evaluation.kind;
    const hidden = {
      redact: [...new Set([...call.terms.redact, ...terms.redact])].sort(),
      redactPatterns: withPatterns(
        withPatterns(runtime.redactPatterns, call.terms.redactPatterns),
        terms.redactPatterns,
      ),
    };
    const namesNobody = terms.approvers.roles.length + terms.approvers.ids.length === 0;
    const judged: Judged = {
      kind: "gated",
      verdict: kind,
      describe: () => {
        const id = `apr_${randomUUID()}`;
        const described = proposedCall(runtime, terms, {
          id,
          toolCallId: id,
          toolName: tool.name,
          toolVersion: toolVersion(tool),
          inputJson,
          policyContext: { ...call.policyContext, mcp: null },
          verdict: kind,
          summary: summaryOf(terms.summary, tool.name, redact(JSON.parse(inputJson), hidden)),
          stored: {
            ...decisionTerms(terms),
            ...hidden,
            units: { ...call.terms.units, ...terms.units },
            decisions: terms.decisions.filter((type) => type === "approve" || type === "deny"),
            undoes: { approvalId: call.id, outcomeHash: outcomeHash(call), ...asked },
          },
          // People who may decide the call, unless a rule for its undo names others.
          ...(namesNobody && { approvers: { roles: call.proposedRoles, ids: call.approvers.ids } }),
        });
        return { ...described, undoWithinMs: undoMs(call.terms) };
      },
    };
    return { evaluation, judged };
  };
  return counts.length > 0 ? { kind: "counting", counts, conclude } : conclude().judged;
}

/** The person who asks for an undo approves it, as far as they may. Otherwise it waits for others. */
async function decideOwn(
  { store }: Runtime,
  decide: Decide,
  undo: Approval,
  { principal, reason, place }: By,
): Promise<Approval> {
  const mayApprove =
    undo.status === "pending" &&
    mayDecide(undo, principal) &&
    !mustLeaveToOthers(undo, principal.id) &&
    undo.terms.decisions.includes("approve") &&
    undo.terms.decideIn.includes(place);
  if (!mayApprove || undo.votes.some(({ principalId }) => principalId === principal.id)) return undo;
  try {
    return await decide({
      ...{ approvalId: undo.id, principal, type: "approve", digest: undo.digest, reason, place },
    });
  } catch (error) {
    // Somebody else was faster.
    if (!CountersignError.isInstance(error) || error.code !== "already_decided") throw error;
    return (await store.getApproval(undo.tenantId, undo.id)) ?? undo;
  }
}
