import type { Approval } from "../../approval/approval.js";
import type { HandlerKind } from "../../approval/handler-kind.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import { signingKeyMissing } from "../../evidence/signing-key-missing.js";
import { coveringStop } from "../../stops/stop.js";
import type { CallSeen } from "../call-seen.js";
import { type Changes, validUntil } from "../changes.js";
import { startedAs } from "../evidence/trail.js";
import { spendingOf } from "../grant/spend-budget.js";
import { judgedGrant } from "../grant/use-grant.js";
import type { ClaimResult, Objection, StartCheck } from "../ports/approval-port.js";
import { lateFrom } from "../request/late-calls.js";
import { undoStart } from "../request/undo.js";
import { approvalFromRow } from "../rows/approval-row.js";
import type { Judgement } from "../verb.js";
import { moved } from "./moved.js";
import { type BasisResult, basisFromEvidence, basisFromRows } from "./read-basis.js";
import { refuseStart, type StartBasis } from "./start-refusals.js";
import { readUndo } from "./undo-proof.js";

/** A run, or a program, that wants to start a call. */
export interface Starting {
  handlerKind: HandlerKind;
  /** The last check of the gate. */
  check: StartCheck;
  /** `undefined` if nothing is signed. */
  reader: EvidenceReader | undefined;
  startedBy: string | null;
}

/** Whether a call may start, or continue after a crash. If not, it ends. */
export async function judgeClaim(
  seen: CallSeen | undefined,
  { handlerKind, check, reader, startedBy }: Starting,
): Promise<Judgement<ClaimResult>> {
  if (!seen) return { result: { outcome: "not_found" } };
  const stored = approvalFromRow(seen.row);
  const approval = { ...stored, handlerKind: startedAs(seen.trail, stored) };
  const { id, status, tenantId } = approval;
  if (status !== "approved" && status !== "executing") return { result: { outcome: "refused", approval } };
  if (!reader && isProven(seen)) throw signingKeyMissing(id);
  const late = lateFrom(seen.row, seen.settledAt);
  let basis: Promise<StartBasis> | undefined;
  const readBasis = () => (basis ??= basisOf(seen, approval, reader));
  const refusal = await refuseStart({
    approval: { ...approval, status },
    startedBy,
    trail: seen.trail,
    isOverdue: late !== undefined && late < seen.now,
    provesAgain: reader !== undefined,
    check,
    stop: coveringStop(seen.stops, approval),
    readBasis,
  });
  if (refusal?.end === "started_elsewhere") return { result: { outcome: "started_elsewhere", approval } };
  if (refusal?.end === "expired") return ended(seen, moved(seen, "expired"));
  if (refusal) return refused(seen, refusal);
  const stops = { tenantId, seen: seen.stops.map((stop) => stop.id) };
  if (status === "executing") {
    const changes = {
      ...writtenNow(seen),
      approvals: [{ id, version: seen.version }],
      stops,
      grants: reader && seen.grant && [judgedGrant(seen.grant.row)],
      audited: [],
    };
    return { result: { outcome: "already_started", approval }, changes };
  }
  const { reading, grant } = await readBasis();
  const spending = grant && spendingOf(grant, seen.grant?.spent ?? "0", approval);
  if (spending === "too much") return refused(seen, { cause: "budget_exhausted" });
  const evidence = reading?.ok ? reading.evidence : undefined;
  if (evidence && evidence.expiresAt <= seen.now) {
    return refused(seen, { cause: "evidence_invalid", field: "expiresAt" });
  }
  const named = { handlerKind, ...(evidence && { evidenceId: evidence.id, keyId: evidence.keyId }) };
  const started = moved(seen, "executing", { handlerKind, startedBy }, named);
  const { undone, proof } = seen;
  return {
    result: { outcome: "claimed", approval: started.approval },
    changes: {
      ...writtenNow(
        seen,
        ...(evidence ? [evidence.expiresAt] : []),
        ...(late ? [new Date(late.getTime() + 1)] : []),
      ),
      // Another undo of the same call must find this one in the log, so it is judged after it.
      approvals: [
        started.change,
        ...(undone ? [{ id: undone.row.id, version: undone.version, set: {} }] : []),
      ],
      stops,
      evidence: evidence && proof && [{ id: evidence.id, version: proof.version, consumedAt: seen.now }],
      grants: grant && [{ ...judgedGrant(grant), ...spending }],
      audited: [started.entry, ...undoStart(approval)],
    },
  };
}

/** Whether something about the call was signed, by its rows or by the log. */
function isProven({ row, proof, trail }: CallSeen): boolean {
  const named = trail.some(({ data }) => typeof data.evidenceId === "string");
  return proof !== undefined || row.undoToken !== null || named;
}

function writtenNow(
  { row, now }: CallSeen,
  ...due: Date[]
): Pick<Changes, "tenantId" | "judgedAt" | "validUntil"> {
  return { tenantId: row.tenantId, judgedAt: now, validUntil: validUntil(now, ...due) };
}

/**
 * Who or what approved the call. An undo always has a person who asked for it, whatever the policy says; of any other call
 * that the policy itself approved, `check` asks the policy.
 */
async function basisOf(
  seen: CallSeen,
  approval: Approval,
  reader: EvidenceReader | undefined,
): Promise<StartBasis> {
  return { grant: seen.grant?.row, reading: await readingOf(seen, approval, reader) };
}

async function readingOf(
  seen: CallSeen,
  approval: Approval,
  reader: EvidenceReader | undefined,
): Promise<BasisResult | undefined> {
  const undo = approval.terms.undoes && (await readUndo(approval, seen, reader));
  if (undo?.ok === false) return undo;
  if (approval.verdict === "notify") {
    return undo?.asked && { ok: true, basis: { by: "people", approvers: [undo.asked] }, evidence: undefined };
  }
  return reader ? basisFromEvidence(approval, seen, reader) : basisFromRows(approval, seen);
}

/** Withdraws a call that may not start, or marks one as interrupted that may not continue. */
function refused(
  seen: CallSeen,
  { cause, field, stopId }: Objection & { stopId?: string },
): Judgement<ClaimResult> {
  const data = { ...(field !== undefined && { field }), ...(stopId !== undefined && { stopId }) };
  return ended(
    seen,
    seen.row.status === "executing"
      ? moved(seen, "interrupted", {}, { cause, ...data })
      : moved(seen, "withdrawn", { withdrawalCause: cause }, data),
  );
}

function ended(
  seen: CallSeen,
  { approval, change, entry }: ReturnType<typeof moved>,
): Judgement<ClaimResult> {
  return {
    result: { outcome: "refused", approval },
    changes: { ...writtenNow(seen), approvals: [change], audited: [entry] },
  };
}
