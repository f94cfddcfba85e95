import { derivedId, hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import { and, eq, isNull } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { matchesItsDigests } from "../../approval/intact.js";
import { mayDecide, maySee, mustLeaveToOthers } from "../../approval/who-decides.js";
import { checkForApproval } from "../../evidence/check-evidence.js";
import { actedAs, audit } from "../audit/audit.js";
import type { Transaction } from "../database.js";
import { readEvidence } from "../evidence/evidence.js";
import type { Sealer } from "../evidence/sealing.js";
import { writeGrant } from "../grant/write-grant.js";
import type { ResolveInput, ResolveResult } from "../ports/approval-port.js";
import { finishUndo } from "../request/undo.js";
import { hasStatus } from "../rows/has-status.js";
import { readApproval, withPeople } from "../rows/read-approval.js";
import { approvals } from "../schema.js";

/** Hours within which an interrupted call may run once more. */
const rerunHours = 24;

/**
 * Records, once, what a person found out about an interrupted call, which stays interrupted. With `rerun`, the same
 * call may run once more without approval.
 */
export async function resolve(
  session: Transaction,
  input: ResolveInput,
  sealer?: Sealer,
): Promise<ResolveResult> {
  const { principal, outcome, note } = input;
  const approval = await readApproval(session, principal.tenantId, input.approvalId);
  if (!approval || !maySee(approval, principal)) return { outcome: "not_found" };
  if (!mayDecide(approval, principal)) return { outcome: "forbidden", approval };
  if (approval.status !== "interrupted") return { outcome: "not_interrupted", approval };
  if (approval.resolution) return resolvedBefore(approval, input);
  const rerunnable = mayRerun(approval) && (!sealer || (await wasApproved(session, approval, sealer)));
  if (outcome === "rerun" && !rerunnable) return { outcome: "no_rerun", approval };
  if (outcome === "rerun" && mustLeaveToOthers(approval, principal.id))
    return { outcome: "self_approval", approval };
  const [row] = await session.db
    .update(approvals)
    .set({
      resolutionOutcome: outcome,
      resolvedBy: principal.id,
      resolutionNote: note,
      resolvedAt: session.now,
    })
    .where(and(eq(approvals.id, approval.id), hasStatus("interrupted"), isNull(approvals.resolutionOutcome)))
    .returning();
  if (!row) {
    const winner = await readApproval(session, principal.tenantId, approval.id);
    return resolvedBefore(winner ?? approval, input);
  }
  const grantId = outcome === "rerun" ? await grantRerun(session, approval, principal, sealer) : undefined;
  if (outcome === "done") await finishUndo(session, approval, principal.id);
  audit(session, {
    tenantId: row.tenantId,
    approvalId: row.id,
    type: "approval.resolved",
    notify: row.notify,
    actorId: principal.id,
    data: { outcome, ...actedAs(principal), ...(grantId === undefined ? {} : { grantId }) },
  });
  const [resolved] = await withPeople(session, [row]);
  return { outcome: "resolved", approval: resolved ?? approval };
}

function resolvedBefore(approval: Approval, { principal, outcome, note }: ResolveInput): ResolveResult {
  const { resolution } = approval;
  const same =
    resolution?.resolvedBy === principal.id && resolution.outcome === outcome && resolution.note === note;
  return { outcome: same ? "repeated" : "already_resolved", approval };
}

/** Only a call that may safely run again, with a thread or requester, and that did not need several approvers. */
function mayRerun({ handlerKind, terms, threadId, requesterId }: Approval): boolean {
  const hasSubject = threadId !== null || requesterId !== null;
  return handlerKind === "idempotent" && terms.quorum === 1 && terms.undoes === null && hasSubject;
}

/**
 * True if somebody really approved the call. Without this check, a row that was written by hand could start a call as a
 * re-run.
 */
async function wasApproved(session: Transaction, approval: Approval, reader: Sealer): Promise<boolean> {
  if (!matchesItsDigests(approval)) return false;
  const evidence = await readEvidence(session, approval.tenantId, approval.id);
  if (!evidence) return false;
  return checkForApproval(approval, evidence, await reader.read("evidence", evidence.token)).ok;
}

/** A grant for exactly this call, for one use. The call was approved already, so it need not be grantable. */
async function grantRerun(
  session: Transaction,
  approval: Approval,
  principal: Principal,
  sealer: Sealer | undefined,
): Promise<string> {
  const id = derivedId("grn", "rerun", approval.id);
  const inputJson = approval.edited?.inputJson ?? approval.inputJson;
  await writeGrant(
    session,
    approval,
    principal,
    {
      id,
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
  return id;
}
