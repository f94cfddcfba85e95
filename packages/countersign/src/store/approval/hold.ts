import { storableText } from "@countersign/policy/internal/shared/storable-text";
import type { Approval } from "../../approval/approval.js";
import { maySee } from "../../approval/who-decides.js";
import { actedAs } from "../audit/audit.js";
import { type DecisionSeen, shownCall } from "../decision-seen.js";
import { sealEvidence } from "../evidence/evidence.js";
import type { Sealer } from "../evidence/sealing.js";
import { decidedNow, standingType } from "../evidence/trail.js";
import type { TakeBackInput, TakeBackResult } from "../ports/approval-port.js";
import type { WakeUp } from "../ports/request-port.js";
import type { StoredHold } from "../ports/stored-hold.js";
import { countAnew } from "../request/counted-calls.js";
import { noHold } from "../request/end-holds.js";
import { expireOverdue } from "../request/expire-overdue.js";
import { queueIfComplete } from "../request/wake-up.js";
import { jsonFromRow } from "../rows/row-to-json.js";
import { votes } from "../schema.js";
import type { Judgement } from "../verb.js";
import { type Deciding, entryOf, madeBy } from "./deciding.js";
import { lostTo } from "./open-call.js";

/**
 * How long after the end of the time a decision may take effect, in milliseconds: at the latest, the relay finds it. Evidence
 * must be valid for as long.
 */
const latestMs = 120_000;

/**
 * A decision that takes effect after a time, in which its person may take it back. The run is woken now, to look again at the
 * end of that time. Whatever proves the decision is signed now, while its person is there.
 *
 * @param deciding `began`: when it began to be judged, by the process's own clock.
 */
export async function hold(
  seen: DecisionSeen,
  approval: Approval,
  { holdMs, began, ...deciding }: Deciding & { holdMs: number; began: number },
  sealer: Sealer | undefined,
): Promise<WakeUp> {
  const { request, call } = seen;
  const { type, principal, reason, responseJson = null, edited = null } = deciding.input;
  const made = { ...approval, edited, decidedAt: decidedNow(seen.call.trail, request.now) };
  const endsAt = new Date(request.now.getTime() + holdMs);
  const until = Math.max(request.openUntil, endsAt.getTime() + latestMs);
  const signed =
    sealer && (await sealEvidence(made, { ...madeBy(deciding), heldUntil: endsAt }, sealer, until));
  // Its person has the whole time after a remote signer, which takes seconds; the proof counts from before.
  const heldUntil = new Date(endsAt.getTime() + wholeSeconds(performance.now() - began));
  const stored: StoredHold = {
    type,
    reason,
    responseJson,
    edited: edited && { inputJson: edited.inputJson, digest: edited.digest },
    round: request.row.rounds,
    decidedBy: principal.id,
    roles: principal.roles,
    decidedAt: made.decidedAt.toISOString(),
    evidence: signed
      ? {
          ...signed.row,
          createdAt: signed.row.createdAt.toISOString(),
          expiresAt: signed.row.expiresAt.toISOString(),
        }
      : null,
  };
  call.change({ held: stored, heldUntil });
  if (edited) countAnew(request, approval, edited.inputJson);
  const { tenantId, id: approvalId } = approval;
  request.audited.push({
    tenantId,
    approvalId,
    type: "approval.held",
    actorId: principal.id,
    data: { type, ...entryOf(deciding, approval), ...signed?.entry, until: heldUntil.toISOString() },
  });
  return { requestId: request.row.id };
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/**
 * Takes back what a person has decided: a decision as long as it is held, or their vote as long as the call is undecided.
 * The call then waits again.
 */
export function judgeTakeBack(
  seen: DecisionSeen | undefined,
  { principal }: TakeBackInput,
): Judgement<TakeBackResult> {
  const approval = seen && shownCall(seen);
  if (!approval || !maySee(approval, principal)) return { result: { outcome: "not_found" } };
  const { request, call } = seen;
  const { held, status, decision } = approval;
  const isOwn = ({ principalId }: { principalId: string }) => principalId === principal.id;
  if (status === "proposed") return { result: { outcome: "not_open", approval } };
  if (status !== "pending" && !decision) {
    const outcome = status === "expired" ? status : lostTo(approval);
    return { result: { outcome, approval, wakeUp: undefined } };
  }
  if (status !== "pending") {
    const wasTheirs = decision?.decidedBy === principal.id || seen.votes.some(isOwn);
    return { result: { outcome: wasTheirs ? "too_late" : "forbidden", approval } };
  }
  if (held && held.decidedBy !== principal.id) return { result: { outcome: "forbidden", approval } };
  if (held && held.until <= request.now) return { result: { outcome: "too_late", approval } };
  const vote = seen.votes.find(isOwn);
  // Somebody may have hidden it from the row. What the log has as taken back stays so, whatever happens to the row.
  const type = held?.type ?? vote?.type ?? standingType(seen.call.trail, storableText(principal.id));
  // Repeated because a response got lost, or nothing was decided: either way the call waits.
  if (type === undefined) return { result: { outcome: "taken_back", approval, wakeUp: undefined } };
  call.change(noHold);
  if (held) {
    request.holdsUntil(held.until);
    if (held.type === "edit") countAnew(request, approval, approval.inputJson);
  }
  if (vote) {
    request.also.vote = jsonFromRow(votes, { ...vote, takenBackAt: request.now, reason: null, token: null });
  }
  const { tenantId, id: approvalId, digest, notify } = approval;
  // Who takes a decision back looks at the call now.
  request.also.snoozeEnds = { approvalId, principalId: principal.id };
  request.audited.push({
    tenantId,
    approvalId,
    type: "approval.taken_back",
    // Messages of channels show votes, and nothing of a decision that is held.
    notify: vote ? notify : [],
    actorId: principal.id,
    data: { type, digest, ...actedAs(principal) },
  });
  expireOverdue(request);
  const wakeUp = queueIfComplete(request);
  const votesLeft = seen.votes.filter((each) => !isOwn(each));
  const snoozes = seen.snoozes.filter((each) => !isOwn(each));
  const changed = shownCall({ ...seen, snoozes }, votesLeft);
  return { result: { outcome: "taken_back", approval: changed, wakeUp }, changes: request.changes() };
}
