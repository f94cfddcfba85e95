import { derivedId, hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../../approval/approval.js";
import type { HandlerKind } from "../../approval/handler-kind.js";
import { matchesItsDigests } from "../../approval/intact.js";
import { mayDecide, maySee, mustLeaveToOthers } from "../../approval/who-decides.js";
import { checkForApproval } from "../../evidence/check-evidence.js";
import { actedAs } from "../audit/audit.js";
import { ends } from "../audit/trail-types.js";
import type { CallRow, CallSeen, GrantRow } from "../call-seen.js";
import { validUntil } from "../changes.js";
import type { Sealer } from "../evidence/sealing.js";
import { startedAs, wasHeldLonger, wasTakenBack } from "../evidence/trail.js";
import { grantRow } from "../grant/write-grant.js";
import type { ResolveInput, ResolveResult } from "../ports/approval-port.js";
import { undoEnd } from "../request/undo.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { voteOf } from "../rows/read-approval.js";
import { jsonFromRow } from "../rows/row-to-json.js";
import { grants } from "../schema.js";
import type { Judgement } from "../verb.js";

/** Hours within which an interrupted call may run once more. */
const rerunHours = 24;

/**
 * Records, once, what a person found out about an interrupted call, which stays interrupted. With `rerun`, the same
 * call may run once more without approval.
 */
export async function judgeResolution(
  seen: CallSeen | undefined,
  input: ResolveInput,
  sealer: Sealer | undefined,
): Promise<Judgement<ResolveResult>> {
  const { principal, outcome, note } = input;
  const approval = seen && withVotes(seen, seen.row);
  if (!approval || !maySee(approval, principal)) return { result: { outcome: "not_found" } };
  if (!mayDecide(approval, principal)) return { result: { outcome: "forbidden", approval } };
  if (approval.status !== "interrupted") return { result: { outcome: "not_interrupted", approval } };
  if (seen.row.resolutionOutcome !== null) return { result: resolvedBefore(approval, input) };
  const isRerun = outcome === "rerun";
  const refusal = isRerun && (await refuseRerun(seen, approval, principal, sealer));
  if (refusal) return { result: { outcome: refusal, approval } };
  const { row, version, now, proof } = seen;
  const { id: approvalId, tenantId, notify } = row;
  const grant = isRerun ? await rerunGrant(now, approval, principal, sealer) : undefined;
  const undone = outcome === "done" ? undoEnd(approval, seen, principal.id) : undefined;
  const set = {
    resolutionOutcome: outcome,
    resolvedBy: principal.id,
    resolutionNote: note,
    resolvedAt: now,
  };
  return {
    result: { outcome: "resolved", approval: withVotes(seen, { ...row, ...set }) },
    changes: {
      ...{ tenantId, judgedAt: now, validUntil: validUntil(now) },
      approvals: [{ id: approvalId, version, set }, ...(undone ? [undone.change] : [])],
      evidence: isRerun && sealer && proof ? [{ id: proof.row.id, version: proof.version }] : undefined,
      newGrant: grant && { row: jsonFromRow(grants, grant) },
      audited: [
        ...(undone ? [undone.entry] : []),
        {
          ...{ tenantId, approvalId, notify },
          type: "approval.resolved",
          actorId: principal.id,
          data: { outcome, ...actedAs(principal), ...(grant && { grantId: grant.id }) },
        },
      ],
    },
  };
}

function withVotes({ votes }: CallSeen, row: CallRow): Approval {
  return approvalFromRow(row, { votes: votes.map(voteOf) });
}

function resolvedBefore(approval: Approval, { principal, outcome, note }: ResolveInput): ResolveResult {
  const { resolution } = approval;
  const same =
    resolution?.resolvedBy === principal.id && resolution.outcome === outcome && resolution.note === note;
  return { outcome: same ? "repeated" : "already_resolved", approval };
}

async function refuseRerun(
  seen: CallSeen,
  approval: Approval,
  principal: Principal,
  sealer: Sealer | undefined,
): Promise<"no_rerun" | "self_approval" | undefined> {
  const rerunnable =
    mayRerun(approval, startedAs(seen.trail, approval)) &&
    (!sealer || (await wasApproved(seen, approval, sealer)));
  if (!rerunnable) return "no_rerun";
  return mustLeaveToOthers(approval, principal.id) ? "self_approval" : undefined;
}

/** Only a call that may safely run again, with a thread or requester, and that did not need several approvers. */
function mayRerun({ terms, threadId, requesterId }: Approval, handlerKind: HandlerKind | null): boolean {
  const hasSubject = threadId !== null || requesterId !== null;
  return handlerKind === "idempotent" && terms.quorum === 1 && terms.undoes === null && hasSubject;
}

/**
 * True if somebody really approved the call. Without this check, a row that was written by hand could start a call as a
 * re-run.
 */
async function wasApproved({ proof, trail }: CallSeen, approval: Approval, reader: Sealer): Promise<boolean> {
  if (!proof || !matchesItsDigests(approval)) return false;
  const { row } = proof;
  if (!wasInterrupted(trail) || wasTakenBack(trail, row.id) || wasHeldLonger(trail, row.id)) return false;
  return checkForApproval(approval, row, await reader.read("evidence", row.token)).ok;
}

/** Whether by the log, whatever the row says, the call was started and interrupted, and nobody has found out more. */
function wasInterrupted(trail: CallSeen["trail"]): boolean {
  const others = trail.filter(({ type }) => type !== "approval.interrupted");
  const isOver = others.some(({ type }) => type === "approval.resolved" || ends.some((end) => end === type));
  return !isOver && others.some(({ type }) => type === "approval.executing");
}

/** A grant for exactly this call, for one use. The call was approved already, so it need not be grantable. */
function rerunGrant(
  now: Date,
  approval: Approval,
  principal: Principal,
  sealer: Sealer | undefined,
): Promise<GrantRow> {
  const inputJson = approval.edited?.inputJson ?? approval.inputJson;
  return grantRow(
    now,
    approval,
    principal,
    {
      id: derivedId("grn", "rerun", approval.id),
      scope: approval.threadId === null ? "user" : "thread",
      scopeId: approval.threadId ?? approval.requesterId,
      inputHash: hashCanonical(JSON.parse(inputJson)),
      condition: null,
      authorSeesAll: false,
      rerun: true,
      lifetimeMs: rerunHours * 3_600_000,
      uses: 1,
      // The interrupted call counts as spent, and this is the same call.
      budget: null,
    },
    sealer,
  );
}
