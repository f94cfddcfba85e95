import { and, eq, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import type { HandlerKind } from "../../approval/handler-kind.js";
import { statusesBefore } from "../../approval/status.js";
import type { WithdrawalCause } from "../../display/withdrawal-text.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import { signingKeyMissing } from "../../evidence/signing-key-missing.js";
import type { Stop } from "../../stops/stop.js";
import { audit } from "../audit/audit.js";
import type { Session, Transaction } from "../database.js";
import { consumeRow, type EvidenceName } from "../evidence/evidence.js";
import { type GrantRow, grantForStart } from "../grant/use-grant.js";
import type { ClaimResult, Objection, StartCheck } from "../ports/approval-port.js";
import { isStale } from "../request/late-calls.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, auditEntries, evidence } from "../schema.js";
import { stopOverClaim } from "../stop/stops.js";
import type { Store } from "../store.js";
import { type BasisResult, basisFromEvidence, basisFromRows } from "./read-basis.js";

/** True if a decision about this row was signed, according to the evidence table or the log. */
const isProven = sql<boolean>`exists (
  select 1 from ${evidence} where ${evidence.tenantId} = ${approvals.tenantId} and ${evidence.approvalId} = ${approvals.id}
) or exists (
  select 1 from ${auditEntries} where ${auditEntries.tenantId} = ${approvals.tenantId}
    and ${auditEntries.approvalId} = ${approvals.id} and ${auditEntries.data} ->> 'evidenceId' is not null
)`;

export async function claim(
  session: Transaction,
  approvalId: string,
  handlerKind: HandlerKind,
  check: StartCheck,
  reader?: EvidenceReader,
): Promise<ClaimResult> {
  const { db, now } = session;
  const [found] = await db
    .select({ row: approvals, stale: isStale(now), proven: isProven })
    .from(approvals)
    .where(eq(approvals.id, approvalId))
    .for("update");
  if (!found) return { outcome: "not_found" };
  const approval = approvalFromRow(found.row);
  const { status } = approval;
  if (status !== "approved" && status !== "executing") return { outcome: "refused", approval };
  if (found.proven && !reader) throw signingKeyMissing(approvalId);
  const stop = await stopOverClaim(session, approval);
  if (status === "executing") {
    const ended =
      (stop && (await endStoppedRerun(session, approval, stop))) ??
      (reader && (await endUnproven(session, approval, check, reader)));
    return ended ? { outcome: "refused", approval: ended } : { outcome: "already_started", approval };
  }
  if (stop) {
    const withdrawal = { withdrawalCause: "stopped" as const, finishedAt: now };
    const refused = await move(session, approvalId, "withdrawn", withdrawal, { stopId: stop.id });
    return { outcome: "refused", approval: refused ?? approval };
  }
  const { reading, objection } = await checkStart(session, approval, check, reader);
  if (objection) return withdraw(session, approval, objection);
  if (found.stale) {
    const expired = await move(session, approvalId, "expired", { finishedAt: now });
    return { outcome: "refused", approval: expired ?? approval };
  }
  const proof = reading?.ok && reading.evidence ? await consumeRow(session, reading.evidence) : undefined;
  if (proof?.ok === false) {
    return withdraw(session, approval, { cause: "evidence_invalid", field: proof.field });
  }
  const claimed = await move(
    session,
    approvalId,
    "executing",
    { startedAt: now, handlerKind },
    proof && nameOf(proof),
  );
  return claimed ? { outcome: "claimed", approval: claimed } : { outcome: "refused", approval };
}

function nameOf({ evidenceId, keyId }: EvidenceName): EvidenceName {
  return { evidenceId, keyId };
}

/**
 * Returns the basis of the approval, and any objection to a start. Checks the row first, then the grant, then the
 * evidence.
 */
async function checkStart(
  session: Transaction,
  approval: Approval,
  check: StartCheck,
  reader: EvidenceReader | undefined,
): Promise<{ reading: BasisResult | undefined; objection: Objection | undefined }> {
  const grant = approval.grantId === null ? undefined : await grantForStart(session, approval.grantId);
  const reading = await basisOf(session, approval, grant, reader);
  const objection = check(approval, reading?.ok ? reading.basis : undefined);
  if (objection && objection.cause !== "evidence_invalid") return { reading, objection };
  if (approval.grantId !== null && (!grant || grant.revokedAt !== null)) {
    return { reading, objection: { cause: "grant_revoked" } };
  }
  if (reading?.ok === false)
    return { reading, objection: { cause: "evidence_invalid", field: reading.field } };
  return { reading, objection };
}

/** `undefined` for a call that the policy itself approved: then `check` asks the policy. */
async function basisOf(
  session: Transaction,
  approval: Approval,
  grant: GrantRow | undefined,
  reader: EvidenceReader | undefined,
): Promise<BasisResult | undefined> {
  if (approval.verdict === "notify") return undefined;
  return reader
    ? basisFromEvidence(session, approval, grant, reader)
    : basisFromRows(session, approval, grant);
}

async function withdraw(
  session: Transaction,
  approval: Approval,
  { cause, field }: Objection,
): Promise<ClaimResult> {
  const data = field === undefined ? {} : { field };
  const set = { withdrawalCause: cause, finishedAt: session.now };
  const withdrawn = await move(session, approval.id, "withdrawn", set, data);
  return { outcome: "refused", approval: withdrawn ?? approval };
}

/**
 * Before a call continues after a crash, makes the same checks as before its first start. A call that fails them is
 * marked as interrupted.
 */
async function endUnproven(
  session: Transaction,
  approval: Approval,
  check: StartCheck,
  reader: EvidenceReader,
): Promise<Approval | undefined> {
  const { objection } = await checkStart(session, approval, check, reader);
  return objection && move(session, approval.id, "interrupted", { finishedAt: session.now }, objection);
}

/**
 * A stop keeps an idempotent handler from running again after a crash. A durable handler has already started, so it
 * continues.
 */
async function endStoppedRerun(
  session: Transaction,
  approval: Approval,
  stop: Stop,
): Promise<Approval | undefined> {
  if (approval.handlerKind !== "idempotent") return undefined;
  const data = { cause: "stopped", stopId: stop.id };
  return move(session, approval.id, "interrupted", { finishedAt: session.now }, data);
}

export async function finish(
  session: Transaction,
  approvalId: string,
  end: Parameters<Store["finish"]>[1],
): Promise<Approval | undefined> {
  const finished = await move(session, approvalId, end.status, {
    finishedAt: session.now,
    ...("outcomeJson" in end ? { outcomeJson: end.outcomeJson, outcomeToken: end.outcomeToken ?? null } : {}),
  });
  if (finished) return finished;
  const [row] = await session.db.select().from(approvals).where(eq(approvals.id, approvalId));
  return row && approvalFromRow(row);
}

/** One transition that {@link statusesBefore} allows, with its audit entry; `undefined` if it does not apply. */
async function move(
  session: Transaction,
  approvalId: string,
  to: "executing" | "executed" | "failed" | "interrupted" | "withdrawn" | "expired",
  set: Partial<Record<"startedAt" | "finishedAt", Session["now"]>> & {
    outcomeJson?: string;
    outcomeToken?: string | null;
    handlerKind?: HandlerKind;
    withdrawalCause?: WithdrawalCause;
  },
  data: object = {},
): Promise<Approval | undefined> {
  const [row] = await session.db
    .update(approvals)
    .set({ ...set, status: to })
    .where(and(eq(approvals.id, approvalId), hasStatus(...statusesBefore(to))))
    .returning();
  if (!row) return undefined;
  audit(session, {
    tenantId: row.tenantId,
    approvalId,
    type: `approval.${to}`,
    notify: row.notify,
    data: { digest: row.digest, ...(set.withdrawalCause ? { cause: set.withdrawalCause } : {}), ...data },
  });
  return approvalFromRow(row);
}
