import type { Approval } from "../../approval/approval.js";
import type { Approver } from "../../approval/approval-basis.js";
import { undoMs } from "../../approval/undo-window.js";
import { mayDecide, mustLeaveToOthers } from "../../approval/who-decides.js";
import { approverOf } from "../../evidence/approver-of.js";
import type { SignedClaims } from "../../evidence/evidence-claims.js";
import type { EvidenceReader } from "../../evidence/evidence-signer.js";
import { endAsSigned, outcomeHash } from "../../evidence/outcome-proof.js";
import { signingKeyMissing } from "../../evidence/signing-key-missing.js";
import type { CallSeen, SeenUndone } from "../call-seen.js";
import { claimWindowMs } from "../request/late-calls.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { callAsSigned } from "./call-as-signed.js";

/** Who asked for an undo, or what of it is not as it must be. */
export type UndoReading = { ok: true; asked: Approver | undefined } | { ok: false; field: string };

/**
 * Whether an undo may start: somebody with the right has asked for exactly this undo in time, by their signature, and no
 * other undo of the call may have happened. Without a reader, the log alone is asked.
 */
export async function readUndo(
  undo: Approval,
  { undone, now }: Pick<CallSeen, "undone" | "now">,
  reader: EvidenceReader | undefined,
): Promise<UndoReading> {
  const goesOn = undo.status === "executing";
  const call = undone && (await callAsSigned(approvalFromRow(undone.row), undone.trail, reader));
  if (!call) return { ok: false, field: "undoes" };
  if (await mayHaveHappened(call, undone, undo, reader)) return { ok: false, field: "undoneAt" };
  if (!reader) return { ok: true, asked: undefined };
  const reading = undo.undoToken === null ? undefined : await reader.read("undo", undo.undoToken);
  if (reading?.ok === false && reading.field === "keyId") throw signingKeyMissing(undo.id);
  if (!reading?.ok) return { ok: false, field: "undoToken" };
  const { claims } = reading;
  const isForgotten =
    undo.verdict === "notify" && !goesOn && claims.iat * 1000 + claimWindowMs(undo) < now.getTime();
  const differing = isForgotten ? "askedAt" : fieldOf(claims, undo, call);
  return differing === undefined ? { ok: true, asked: approverOf(claims) } : { ok: false, field: differing };
}

/** The first thing in which a signed wish is not for this undo of this call, or was not for its person to have. */
function fieldOf(claims: SignedClaims["undo"], undo: Approval, call: Approval): string | undefined {
  const { tenantId, id, digest, terms } = undo;
  if (claims.tenantId !== tenantId || claims.approvalId !== id || claims.digest !== digest) return "digest";
  if (claims.undoneId !== call.id || terms.undoes?.approvalId !== call.id) return "undoes";
  if (claims.outcomeHash !== outcomeHash(call)) return "outcomeHash";
  const { principalId, roles } = claims;
  if (terms.undoes.askedBy !== principalId) return "askedBy";
  const mayAsk =
    mayDecide(call, { id: principalId, tenantId, roles }) && !mustLeaveToOthers(call, principalId);
  if (call.status !== "executed" || !mayAsk) return "askedBy";
  const within = undoMs(call.terms);
  const askedAt = claims.iat * 1000;
  const isInTime = within === null || askedAt < (call.finishedAt?.getTime() ?? 0) + within;
  return isInTime ? undefined : "askedAt";
}

/** By the log, whether this undo or another one of the call has started, and is not known to have changed nothing. */
async function mayHaveHappened(
  call: Approval,
  { trail, undos }: SeenUndone,
  undo: Approval,
  reader: EvidenceReader | undefined,
): Promise<boolean> {
  if (call.undoneAt !== null) return true;
  const started = trail.flatMap(({ type, data }) =>
    type === "call.undo_started" ? [String(data.undoId)] : [],
  );
  for (const id of new Set(started)) {
    if (id === undo.id && undo.status === "executing") continue;
    const row = undos.find((one) => one.id === id);
    if (!row || !(await hasFailed(approvalFromRow(row), reader))) return true;
  }
  return false;
}

async function hasFailed(earlier: Approval, reader: EvidenceReader | undefined): Promise<boolean> {
  if (earlier.status === "interrupted") return earlier.resolution?.outcome === "failed";
  return earlier.status === "failed" && (!reader || (await endAsSigned(earlier, reader)) !== undefined);
}
