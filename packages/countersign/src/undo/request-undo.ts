import { randomUUID } from "node:crypto";
import { decisionTerms, proposedCall } from "../agent-hook/review/proposed-call.js";
import type { Runtime } from "../agent-hook/run/runtime.js";
import { policyCall } from "../agent-hook/tool/policy-call.js";
import { toolVersion } from "../agent-hook/tool/tool-version.js";
import type { Approval, Undoes } from "../approval/approval.js";
import { isOpen } from "../approval/status.js";
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
import { CountersignError } from "../shared/errors.js";
import type { Principal } from "../shared/principal.js";
import { inputOfUndo, outcomeHash, subjectOfUndo, undoTool } from "./undo-call.js";
import { undoName } from "./undo-name.js";
import { undoMs, whyNotUndoable } from "./undo-window.js";

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

/** Milliseconds during which the start of an undo is sent again: the engine ignores its event for longer than that. */
const recentMs = 3_600_000;

/**
 * Proposes the undo of a call under the policy for `<tool>.undo`, and approves it in the name of the person who asks, as
 * far as they may. Then it runs outside of this process.
 *
 * @returns the undo, a call of its own; that of an earlier request if there is one that may still undo the call
 */
export async function requestUndo(
  runtime: Runtime,
  decide: Decide,
  { principal, approvalId, digest, reason = null, place = inboxPlace }: UndoRequest,
): Promise<Approval> {
  const { store } = runtime;
  requireStorable("reason", reason);
  const call = await store.getApproval(principal.tenantId, approvalId);
  checkRight(call, principal);
  if (!call.terms.decideIn.includes(place)) throw wrongPlace(call);
  if (call.digest !== digest) {
    throw new CountersignError(
      "digest_mismatch",
      "digest: the call differs from the one you were shown. Reload it, review it, and send its current digest",
    );
  }
  const earlier = call.undoId === null ? undefined : await store.getApproval(call.tenantId, call.undoId);
  const why = whyNotUndoable(call, earlier);
  if (why !== undefined) throw new CountersignError("not_undoable", why);
  const isUnderWay = earlier && (isOpen(earlier.status) || earlier.status === "approved");
  const undo = isUnderWay ? earlier : await proposeUndo(runtime, call, { askedBy: principal.id, reason });
  const decided = await decideOwn(runtime, decide, undo, { principal, reason, place });
  const mayStart = isOpen(decided.status) || decided.status === "approved";
  // An earlier request has started it, unless that got lost, and the relay has not started it yet.
  const isRecent = Date.now() - undo.createdAt.getTime() < recentMs;
  if (mayStart && (!isUnderWay || isRecent)) await runtime.startUndo(undo.requestId);
  return decided;
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

type Asked = Pick<Undoes, "askedBy" | "reason">;

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
  if (outcome && "approval" in outcome && outcome.approval) {
    const { approval } = outcome;
    if (approval.status !== "proposed") return approval;
    const calls = await runtime.store.announce(requestId);
    return calls.find(({ id }) => id === approval.id) ?? approval;
  }
  const refusal = outcome?.kind === "refused" ? outcome.refusal.message : "It was not proposed";
  throw new CountersignError("not_undoable", refusal);
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
  { principal, reason, place }: { principal: Principal; reason: string | null; place: string },
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
