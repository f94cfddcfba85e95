import { and, eq, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import type { HandlerKind } from "../../approval/handler-kind.js";
import type { Evidence } from "../../evidence/check-evidence.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import { signingKeyMissing } from "../../evidence/signing-key-missing.js";
import { coveringStop } from "../../stops/stop.js";
import { builtOnce, type ValueOf } from "../built-once.js";
import { inOrder, type Transaction } from "../database.js";
import { type EvidenceName, oldestFirst, whyNotConsumed } from "../evidence/evidence.js";
import { trail } from "../evidence/trail.js";
import { giveBack, spend } from "../grant/spend-budget.js";
import { type GrantRow, grantForStart } from "../grant/use-grant.js";
import type { ClaimResult, Objection, StartCheck } from "../ports/approval-port.js";
import { isStale } from "../request/late-calls.js";
import { finishUndo, noteUndoStart } from "../request/undo.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { approvals, auditEntries, evidence } from "../schema.js";
import { joinClaims, mayBeStopped, readStopsOver } from "../stop/stops.js";
import type { Store } from "../store.js";
import { move } from "./move.js";
import { type BasisResult, basisFromEvidence, basisFromRows, type Signed } from "./read-basis.js";
import { refuseStart, type StartBasis } from "./start-refusals.js";
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
  const proofs = { reader, evidence: judged.proof ?? undefined, trail: judged.trail };
  const spends = status === "approved" && found.row.grantAmount !== null;
  let basis: Promise<StartBasis> | undefined;
  const readBasis = () => (basis ??= basisOf(session, approval, proofs, { spends }));
  const refusal = await refuseStart({
    approval: { ...approval, status },
    startedBy,
    trail: judged.trail,
    isOverdue: found.stale,
    provesAgain: reader !== undefined,
    check,
    readStop: async () => {
      const engaged = judged.mayBeStopped ? await readStopsOver(session, approval.tenantId) : [];
      return coveringStop(engaged, approval);
    },
    readBasis,
  });
  if (refusal?.end === "started_elsewhere") return { outcome: "started_elsewhere", approval };
  if (refusal?.end === "expired") {
    const expired = await move(session, approvalId, "expired");
    return { outcome: "refused", approval: expired ?? approval };
  }
  if (refusal) return endRefused(session, approval, refusal);
  if (status === "executing") return { outcome: "already_started", approval };
  const { reading, grant } = await readBasis();
  if (!(await spend(session, grant, approval))) {
    return endRefused(session, approval, { cause: "budget_exhausted" });
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
  return endRefused(session, approval, { cause: "evidence_invalid", field });
}

function nameOf({ id: evidenceId, keyId }: Evidence): EvidenceName {
  return { evidenceId, keyId };
}

/** The signatures about a call, and who checks them; `undefined` if nothing is signed. */
interface Proofs extends Signed {
  reader: EvidenceReader | undefined;
}

/**
 * Who or what approved the call. An undo always has a person who asked for it, whatever the policy says; of any other call
 * that the policy itself approved, `check` asks the policy.
 */
async function basisOf(
  session: Transaction,
  approval: Approval,
  proofs: Proofs,
  { spends }: { spends: boolean },
): Promise<StartBasis> {
  const grant =
    approval.grantId === null ? undefined : await grantForStart(session, approval.grantId, { spends });
  return { grant, reading: await readingOf(session, approval, grant, proofs) };
}

async function readingOf(
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

/** Withdraws a call that may not start, or marks one as interrupted that may not continue. */
async function endRefused(
  session: Transaction,
  approval: Approval,
  { cause, field, stopId }: Objection & { stopId?: string },
): Promise<ClaimResult> {
  const data = { ...(field !== undefined && { field }), ...(stopId !== undefined && { stopId }) };
  const ended =
    approval.status === "executing"
      ? await move(session, approval.id, "interrupted", {}, { cause, ...data })
      : await move(session, approval.id, "withdrawn", { withdrawalCause: cause }, data);
  return { outcome: "refused", approval: ended ?? approval };
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
