import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Approval, WithdrawalCause } from "../approval/approval.js";
import type { HandlerKind } from "../approval/handler-kind.js";
import { statusesBefore } from "../approval/status.js";
import type { EvidenceSigner } from "../evidence/evidence-signer.js";
import { approvalFromRow } from "./approval-row.js";
import { audit } from "./audit.js";
import type { Session, Transaction } from "./database.js";
import { consumeEvidence, recheckEvidence } from "./evidence.js";
import { approvals, requests } from "./schema.js";
import type { ClaimResult, Store } from "./store.js";
import { isRevoked } from "./use-grant.js";

/**
 * Hours in which an approved call may still start once its run can go on; an approval is not a licence for ever.
 * Calls that people had longer for may also start for longer.
 */
const claimWindowHours = 24;

/** True for a row whose run has been able to go on for longer than the call may wait to start. */
export function isStale(now: Session["now"]): SQL<boolean> {
  const settledAt = sql`(select ${requests.settledAt} from ${requests} where ${requests.id} = ${approvals.requestId})`;
  const window = sql`greatest(${claimWindowHours} * interval '1 hour', ${approvals.timeoutMs} * interval '1 millisecond')`;
  return sql<boolean>`coalesce(greatest(${settledAt}, ${approvals.decidedAt}) + ${window} < ${now} and ${settledAt} is not null, false)`;
}

export async function claim(
  session: Transaction,
  approvalId: string,
  handlerKind: HandlerKind,
  check: (approval: Approval) => WithdrawalCause | undefined,
  signer?: EvidenceSigner,
): Promise<ClaimResult> {
  const { db, now } = session;
  const [found] = await db
    .select({
      row: approvals,
      stale: isStale(now),
    })
    .from(approvals)
    .where(eq(approvals.id, approvalId))
    .for("update");
  if (!found) return { outcome: "not_found" };
  const approval = approvalFromRow(found.row);
  if (approval.status === "executing") {
    const ended = signer && (await endUnproven(session, approval, check, signer));
    return ended ? { outcome: "refused", approval: ended } : { outcome: "already_started", approval };
  }
  if (approval.status !== "approved") return { outcome: "refused", approval };
  const revoked = approval.grantId !== null && (await isRevoked(session, approval.grantId));
  const cause = check(approval) ?? (revoked ? "grant_revoked" : undefined);
  if (cause || found.stale) {
    const status = cause ? "withdrawn" : "expired";
    const refused = await move(session, approvalId, status, {
      ...(cause ? { withdrawalCause: cause } : {}),
      finishedAt: now,
    });
    return { outcome: "refused", approval: refused ?? approval };
  }
  // What the policy lets run by itself nobody has decided: there is no proof, and the check has asked the policy.
  const proof =
    signer && approval.verdict !== "notify" ? await consumeEvidence(session, approval, signer) : undefined;
  if (proof?.ok === false) {
    const withdrawal = { withdrawalCause: "evidence_invalid" as const, finishedAt: now };
    const refused = await move(session, approvalId, "withdrawn", withdrawal, { field: proof.field });
    return { outcome: "refused", approval: refused ?? approval };
  }
  const claimed = await move(
    session,
    approvalId,
    "executing",
    { startedAt: now, handlerKind },
    proof && { evidenceId: proof.evidenceId, keyId: proof.keyId },
  );
  return claimed ? { outcome: "claimed", approval: claimed } : { outcome: "refused", approval };
}

/** A start that goes on after a crash is looked at like the first; what does not stand the look was cut off. */
async function endUnproven(
  session: Transaction,
  approval: Approval,
  check: (approval: Approval) => WithdrawalCause | undefined,
  signer: EvidenceSigner,
): Promise<Approval | undefined> {
  const cause = check(approval);
  const proof =
    !cause && approval.verdict !== "notify" ? await recheckEvidence(session, approval, signer) : undefined;
  if (!cause && proof?.ok !== false) return undefined;
  const told = proof?.ok === false ? { cause: "evidence_invalid", field: proof.field } : { cause };
  return move(session, approval.id, "interrupted", { finishedAt: session.now }, told);
}

export async function finish(
  session: Transaction,
  approvalId: string,
  end: Parameters<Store["finish"]>[1],
): Promise<Approval | undefined> {
  const finished = await move(session, approvalId, end.status, {
    finishedAt: session.now,
    ...("outcomeJson" in end ? { outcomeJson: end.outcomeJson } : {}),
  });
  if (finished) return finished;
  const [row] = await session.db.select().from(approvals).where(eq(approvals.id, approvalId));
  return row && approvalFromRow(row);
}

/** One transition that {@link statusesBefore} allows, with its audit entry; `undefined` when it does not apply. */
async function move(
  session: Transaction,
  approvalId: string,
  to: "executing" | "executed" | "failed" | "interrupted" | "withdrawn" | "expired",
  set: Partial<Record<"startedAt" | "finishedAt", Session["now"]>> & {
    outcomeJson?: string;
    handlerKind?: HandlerKind;
    withdrawalCause?: WithdrawalCause;
  },
  told: object = {},
): Promise<Approval | undefined> {
  const [row] = await session.db
    .update(approvals)
    .set({ ...set, status: to })
    .where(and(eq(approvals.id, approvalId), inArray(approvals.status, statusesBefore(to))))
    .returning();
  if (!row) return undefined;
  audit(session, {
    tenantId: row.tenantId,
    approvalId,
    type: `approval.${to}`,
    data: { digest: row.digest, ...(set.withdrawalCause ? { cause: set.withdrawalCause } : {}), ...told },
  });
  return approvalFromRow(row);
}
