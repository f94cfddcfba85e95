import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import { statusesBefore } from "@countersign/policy/internal/shared/approval-status";
import { and, eq, exists, isNull, or, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import type { HandlerKind } from "../../approval/handler-kind.js";
import type { Evidence } from "../../evidence/check-evidence.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import { saltedHash } from "../../evidence/salted-hash.js";
import { signingKeyMissing } from "../../evidence/signing-key-missing.js";
import { coveringStop, type Stop } from "../../stops/stop.js";
import { audit } from "../audit/audit.js";
import { builtOnce, type ValueOf, valueFor } from "../built-once.js";
import { inOrder, type Transaction } from "../database.js";
import { consuming, type EvidenceName, oldestFirst, whyNotConsumed } from "../evidence/evidence.js";
import { contradicts, isStillHeld, trail } from "../evidence/trail.js";
import { giveBack, spend } from "../grant/budget.js";
import { type GrantRow, grantForStart } from "../grant/use-grant.js";
import type { ClaimResult, Objection, StartCheck } from "../ports/approval-port.js";
import { isStale } from "../request/late-calls.js";
import { finishUndo, noteUndoStart } from "../request/undo.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, auditEntries, evidence } from "../schema.js";
import { joinClaims, mayBeStopped, readStopsOver } from "../stop/stops.js";
import type { Store } from "../store.js";
import { type BasisResult, basisFromEvidence, basisFromRows, type Signed } from "./read-basis.js";
import { readUndo } from "./undo-proof.js";

/**
 * True if a decision about this row was signed, according to the evidence table or the log. Drizzle would write columns
 * without their tables here.
 */
const isProven = sql<boolean>`exists (
  select from ${evidence} where ${evidence}.tenant_id = ${approvals}.tenant_id and ${evidence}.approval_id = ${approvals}.id
) or exists (
  select from ${auditEntries} where ${auditEntries}.tenant_id = ${approvals}.tenant_id
    and ${auditEntries}.approval_id = ${approvals}.id and ${auditEntries}.data ->> 'evidenceId' is not null
)`;

const lockedRow = builtOnce(({ db, now }, value: ValueOf<"approvalId">) =>
  db
    .select({ row: approvals, stale: isStale(now) })
    .from(approvals)
    .where(eq(approvals.id, value("approvalId")))
    .for("update"),
);

/** What else is judged of a call. Sent behind the lock of its row: in one statement, it would be read before the wait for it. */
const judgedState = builtOnce(({ db }, value: ValueOf<"approvalId">) =>
  db
    .select({ proof: evidence, trail, mayBeStopped, proven: isProven })
    .from(approvals)
    .leftJoin(evidence, and(eq(evidence.tenantId, approvals.tenantId), eq(evidence.approvalId, approvals.id)))
    .where(eq(approvals.id, value("approvalId")))
    .orderBy(...oldestFirst)
    .limit(1),
);

export async function claim(
  session: Transaction,
  approvalId: string,
  handlerKind: HandlerKind,
  check: StartCheck,
  reader?: EvidenceReader,
  startedBy: string | null = null,
): Promise<ClaimResult> {
  const [[found], , [judged]] = await inOrder(
    () => lockedRow(session, { approvalId }),
    () => joinClaims(session),
    () => judgedState(session, { approvalId }),
  );
  if (!found || !judged) return { outcome: "not_found" };
  const approval = approvalFromRow(found.row);
  const { status } = approval;
  if (status !== "approved" && status !== "executing") return { outcome: "refused", approval };
  if (judged.proven && !reader) throw signingKeyMissing(approvalId);
  if (contradicts(judged.trail, status)) return endContradicted(session, approval);
  const proofs = { reader, evidence: judged.proof ?? undefined, trail: judged.trail };
  const engaged = judged.mayBeStopped ? await readStopsOver(session, approval.tenantId) : [];
  const stop = coveringStop(engaged, approval);
  if (status === "executing") {
    // Another run may be carrying it out right now, so this one may not end it.
    if (approval.startedBy !== null && approval.startedBy !== startedBy) {
      return { outcome: "started_elsewhere", approval };
    }
    const ended =
      (stop && (await endStoppedRerun(session, approval, stop))) ??
      (reader && (await endUnproven(session, approval, check, proofs)));
    return ended ? { outcome: "refused", approval: ended } : { outcome: "already_started", approval };
  }
  if (stop) {
    const withdrawal = { withdrawalCause: "stopped" } as const;
    const refused = await move(session, approvalId, "withdrawn", withdrawal, { stopId: stop.id });
    return { outcome: "refused", approval: refused ?? approval };
  }
  if (isStillHeld(judged.trail)) return withdraw(session, approval, { cause: "digest_changed" });
  const spends = found.row.grantAmount !== null;
  const { reading, objection, grant } = await checkStart(session, approval, check, proofs, { spends });
  if (objection) return withdraw(session, approval, objection);
  if (found.stale) {
    const expired = await move(session, approvalId, "expired");
    return { outcome: "refused", approval: expired ?? approval };
  }
  if (!(await spend(session, grant, approval))) {
    return withdraw(session, approval, { cause: "budget_exhausted" });
  }
  const evidence = reading?.ok ? reading.evidence : undefined;
  const named = evidence && nameOf(evidence);
  const set = { handlerKind, startedBy };
  const claimed = await move(session, approvalId, "executing", set, named, { evidence });
  if (claimed) noteUndoStart(session, claimed);
  if (claimed) return { outcome: "claimed", approval: claimed };
  await giveBack(session, grant, approval);
  if (!evidence) return { outcome: "refused", approval };
  const field = await whyNotConsumed(session, evidence);
  return withdraw(session, approval, { cause: "evidence_invalid", field });
}

function nameOf({ id: evidenceId, keyId }: Evidence): EvidenceName {
  return { evidenceId, keyId };
}

/** The signatures about a call, and who checks them; `undefined` if nothing is signed. */
interface Proofs extends Signed {
  reader: EvidenceReader | undefined;
}

/**
 * Returns the basis of the approval, any objection to a start, and the grant. Checks the row first, then the grant, then
 * the evidence.
 */
async function checkStart(
  session: Transaction,
  approval: Approval,
  check: StartCheck,
  proofs: Proofs,
  { spends }: { spends: boolean },
): Promise<{
  reading: BasisResult | undefined;
  objection: Objection | undefined;
  grant: GrantRow | undefined;
}> {
  const grant =
    approval.grantId === null ? undefined : await grantForStart(session, approval.grantId, { spends });
  const reading = await basisOf(session, approval, grant, proofs);
  const objection = check(approval, reading?.ok ? reading.basis : undefined);
  if (objection && objection.cause !== "evidence_invalid") return { reading, objection, grant };
  if (approval.grantId !== null && (!grant || grant.revokedAt !== null)) {
    return { reading, objection: { cause: "grant_revoked" }, grant };
  }
  if (reading?.ok === false)
    return { reading, objection: { cause: "evidence_invalid", field: reading.field }, grant };
  return { reading, objection, grant };
}

/**
 * `undefined` for a call that the policy itself approved: then `check` asks the policy. An undo always has a person who asked
 * for it, whatever the policy says.
 */
async function basisOf(
  session: Transaction,
  approval: Approval,
  grant: GrantRow | undefined,
  { reader, ...signed }: Proofs,
): Promise<BasisResult | undefined> {
  const undo = approval.terms.undoes && (await readUndo(session, approval, reader));
  if (undo?.ok === false) return undo;
  if (approval.verdict === "notify") {
    return undo?.asked && { ok: true, basis: { by: "people", approvers: [undo.asked] }, evidence: undefined };
  }
  return reader
    ? basisFromEvidence(session, approval, grant, reader, signed)
    : basisFromRows(session, approval, grant);
}

async function withdraw(
  session: Transaction,
  approval: Approval,
  { cause, field }: Objection,
): Promise<ClaimResult> {
  const data = field === undefined ? {} : { field };
  const withdrawn = await move(session, approval.id, "withdrawn", { withdrawalCause: cause }, data);
  return { outcome: "refused", approval: withdrawn ?? approval };
}

/** Ends a call whose row says that it may start or continue, though it has started or ended by the log. */
async function endContradicted(session: Transaction, approval: Approval): Promise<ClaimResult> {
  const objection = { cause: "evidence_invalid", field: "status" } as const;
  if (approval.status === "approved") return withdraw(session, approval, objection);
  const interrupted = await move(session, approval.id, "interrupted", {}, objection);
  return { outcome: "refused", approval: interrupted ?? approval };
}

/**
 * Before a call continues after a crash, makes the same checks as before its first start. A call that fails them is
 * marked as interrupted.
 */
async function endUnproven(
  session: Transaction,
  approval: Approval,
  check: StartCheck,
  proofs: Proofs,
): Promise<Approval | undefined> {
  const { objection } = await checkStart(session, approval, check, proofs, { spends: false });
  return objection && move(session, approval.id, "interrupted", {}, objection);
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
  return move(session, approval.id, "interrupted", {}, data);
}

export async function finish(
  session: Transaction,
  approvalId: string,
  end: Parameters<Store["finish"]>[1],
): Promise<Approval | undefined> {
  const finished =
    end.status === "interrupted"
      ? await move(session, approvalId, end.status, {}, {}, { startedBy: end.startedBy ?? null })
      : await move(session, approvalId, end.status, {
          outcomeJson: end.outcomeJson,
          outcomeToken: end.outcomeToken ?? null,
        });
  if (finished?.status === "executed")
    await finishUndo(session, finished, finished.terms.undoes?.askedBy ?? null);
  if (finished) return finished;
  const [row] = await session.db.select().from(approvals).where(eq(approvals.id, approvalId));
  return row && approvalFromRow(row);
}

/** The columns that a transition may write, besides the status and its time. */
interface Written {
  outcomeJson?: string;
  outcomeToken?: string | null;
  handlerKind?: HandlerKind;
  startedBy?: string | null;
  withdrawalCause?: WithdrawalCause;
}

type MovedTo = "executing" | "executed" | "failed" | "interrupted" | "withdrawn" | "expired";

/** What must hold for a transition besides its status: unused evidence, which it consumes, or the run that started the call. */
interface Provided {
  evidence?: Evidence | undefined;
  startedBy?: string | null;
}

/** One transition that {@link statusesBefore} allows, with its audit entry; `undefined` if it does not apply. */
async function move(
  session: Transaction,
  approvalId: string,
  to: MovedTo,
  set: Written = {},
  data: object = {},
  { evidence: using, startedBy: by }: Provided = {},
): Promise<Approval | undefined> {
  const columns = Object.keys(set) as (keyof Written)[];
  const provided = { usesEvidence: using !== undefined, isOfRun: by !== undefined };
  const name = [to, provided.usesEvidence, provided.isOfRun, ...columns].join(" ");
  const statement = moves.get(name) ?? moving(to, columns, provided);
  moves.set(name, statement);
  const [row] = await statement(session, { ...noValues, ...set, approvalId, evidenceId: using?.id, by });
  if (!row) return undefined;
  audit(session, {
    tenantId: row.tenantId,
    approvalId,
    type: `approval.${to}`,
    notify: row.notify,
    data: {
      digest: row.digest,
      ...(set.withdrawalCause ? { cause: set.withdrawalCause } : {}),
      ...(set.outcomeJson === undefined ? {} : { outcomeHash: saltedHash(row, set.outcomeJson) }),
      ...data,
    },
  });
  return approvalFromRow(row);
}

/** The statements of {@link move}, by what they write. */
const moves = new Map<string, ReturnType<typeof moving>>();

/** Every place of a statement has a value, also one that it does not write. */
const noValues = {
  outcomeJson: undefined,
  outcomeToken: undefined,
  handlerKind: undefined,
  startedBy: undefined,
  withdrawalCause: undefined,
};

function moving(
  to: MovedTo,
  columns: readonly (keyof Written)[],
  { usesEvidence, isOfRun }: { usesEvidence: boolean; isOfRun: boolean },
) {
  return builtOnce((session, value: ValueOf<"approvalId" | "evidenceId" | "by" | keyof Written>) => {
    const { db, now } = session;
    const used = usesEvidence ? db.$with("used").as(consuming(session, value("evidenceId"))) : undefined;
    return (used ? db.with(used) : db)
      .update(approvals)
      .set({
        ...Object.fromEntries(columns.map((column) => [column, valueFor(approvals[column], value(column))])),
        status: to,
        [to === "executing" ? "startedAt" : "finishedAt"]: now,
      })
      .where(
        and(
          eq(approvals.id, value("approvalId")),
          hasStatus(...statusesBefore(to)),
          isOfRun ? or(isNull(approvals.startedBy), eq(approvals.startedBy, value("by"))) : undefined,
          used && exists(db.select({ id: used.id }).from(used)),
        ),
      )
      .returning();
  });
}
