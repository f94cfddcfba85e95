import { and, eq, isNull, sql } from "drizzle-orm";
import type { Approval } from "../approval/approval.js";
import { derivedId, hashCanonical } from "../approval/digest.js";
import { mayDecide, maySee } from "../approval/who-decides.js";
import type { Principal } from "../principal.js";
import { actedAs, audit } from "./audit.js";
import type { Transaction } from "./database.js";
import { isOwn } from "./locked-approval.js";
import { readApproval, withPeople } from "./read-approval.js";
import { approvals, grants } from "./schema.js";
import type { ResolveInput, ResolveResult } from "./store.js";

/** Hours in which a cut-off call may be made once more. */
const rerunHours = 24;

/**
 * Records, once, what a person found out about an interrupted call; the call stays interrupted. With `rerun` the
 * same call may be made once more without being asked about.
 */
export async function resolve(session: Transaction, input: ResolveInput): Promise<ResolveResult> {
  const { principal, outcome, note } = input;
  const approval = await readApproval(session, principal.tenantId, input.approvalId);
  if (!approval || !maySee(approval, principal)) return { outcome: "not_found" };
  if (!mayDecide(approval, principal)) return { outcome: "forbidden", approval };
  if (approval.status !== "interrupted") return { outcome: "not_interrupted", approval };
  if (approval.resolution) return resolvedBefore(approval, input);
  if (outcome === "rerun" && !mayRerun(approval)) return { outcome: "no_rerun", approval };
  if (outcome === "rerun" && isOwn(approval, principal.id)) return { outcome: "self_approval", approval };
  const [row] = await session.db
    .update(approvals)
    .set({
      resolutionOutcome: outcome,
      resolvedBy: principal.id,
      resolutionNote: note,
      resolvedAt: session.now,
    })
    .where(
      and(
        eq(approvals.id, approval.id),
        eq(approvals.status, "interrupted"),
        isNull(approvals.resolutionOutcome),
      ),
    )
    .returning();
  if (!row) {
    const winner = await readApproval(session, principal.tenantId, approval.id);
    return resolvedBefore(winner ?? approval, input);
  }
  const grantId = outcome === "rerun" ? await grantRerun(session, approval, principal) : undefined;
  audit(session, {
    tenantId: row.tenantId,
    approvalId: row.id,
    type: "approval.resolved",
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

/** Only what may safely run again, for somebody in particular, and that no several people had to approve. */
function mayRerun({ handlerKind, terms, threadId, requesterId }: Approval): boolean {
  return handlerKind === "idempotent" && terms.quorum === 1 && (threadId !== null || requesterId !== null);
}

/** A standing approval of exactly this call, for one use; it was approved already, so it need not be grantable. */
async function grantRerun(
  { db, now }: Transaction,
  approval: Approval,
  principal: Principal,
): Promise<string> {
  const id = derivedId("grn", "rerun", approval.id);
  const inputJson = approval.edited?.inputJson ?? approval.inputJson;
  await db.insert(grants).values({
    id,
    tenantId: approval.tenantId,
    scope: approval.threadId === null ? "user" : "thread",
    scopeId: approval.threadId ?? approval.requesterId,
    toolName: approval.toolName,
    toolVersion: approval.toolVersion,
    inputHash: hashCanonical(JSON.parse(inputJson)),
    summary: approval.summary,
    grantedBy: principal.id,
    grantedRoles: principal.roles,
    approvalId: approval.id,
    rerun: true,
    approverRoles: approval.approvers.roles,
    approverIds: approval.approvers.ids,
    createdAt: now,
    expiresAt: sql`${now} + ${rerunHours} * interval '1 hour'`,
    usesLeft: 1,
  });
  return id;
}
