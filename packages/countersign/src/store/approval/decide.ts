import { eq } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { argumentsHash } from "../../approval/approval-digest.js";
import { severalDecide } from "../../approval/quorum.js";
import { maySee } from "../../approval/who-decides.js";
import { coveringStop } from "../../stops/stop.js";
import type { Changes } from "../changes.js";
import type { Session } from "../database.js";
import { type DecisionSeen, shownCall } from "../decision-seen.js";
import { sealEvidence } from "../evidence/evidence.js";
import type { Sealer } from "../evidence/sealing.js";
import { decidedNow } from "../evidence/trail.js";
import type { DecideInput, DecideResult } from "../ports/approval-port.js";
import { countAnew } from "../request/counted-calls.js";
import { decisionEntryType, endChanged, noHold, statusAfter } from "../request/end-holds.js";
import { queueIfComplete } from "../request/wake-up.js";
import { namesOf } from "../rows/known-names.js";
import { jsonFromRow } from "../rows/row-to-json.js";
import { approvals, evidence } from "../schema.js";
import type { Judgement } from "../verb.js";
import { type Deciding, entryOf, madeBy } from "./deciding.js";
import { refuseDecision } from "./decision-refusals.js";
import { delegatorOf } from "./delegation.js";
import { gaveSameGrant, giveGrant } from "./give-grant.js";
import { hold } from "./hold.js";
import { expiredFirst } from "./open-call.js";
import { castVote } from "./vote.js";

/** Judges one person's decision: a refusal, a vote, a decision that is held, or one that takes effect. */
export async function judgeDecision(
  seen: DecisionSeen | undefined,
  input: DecideInput,
  sealer: Sealer | undefined,
): Promise<Judgement<DecideResult>> {
  const began = performance.now();
  const { principal } = input;
  const approval = seen && shownCall(seen);
  if (!approval || !maySee(approval, principal)) return { result: { outcome: "not_found" } };
  const { request, call } = seen;
  const refused = refuseDecision({
    approval,
    input,
    stop: coveringStop(seen.stops, approval),
    gaveSameGrant: gaveSameGrant(seen, input.grant),
  });
  if (refused?.outcome === "digest_changed") {
    endChanged(request, call);
    return {
      result: { ...refused, approval: shownCall(seen), wakeUp: queueIfComplete(request) },
      changes: request.changes(),
    };
  }
  if (refused) return { result: refused };
  const onBehalfOf = await delegatorOf(approval, seen.call.trail, principal, sealer);
  if (onBehalfOf === undefined) return { result: { outcome: "forbidden", approval } };
  const { expiresAt } = call.row;
  if (!expiresAt || expiresAt <= request.now) return expiredFirst(seen, approval);
  request.holdsUntil(expiresAt);

  const { type } = input;
  const decided: Decided = { input, onBehalfOf, voteId: undefined, votes: seen.votes };
  if ((type === "approve" || type === "deny") && severalDecide(approval.terms)) {
    const vote = await castVote(seen, approval, { ...input, type, onBehalfOf }, sealer);
    decided.voteId = vote.voteId;
    decided.votes = vote.votes;
    if (!vote.decisive) {
      const shown = shownCall(seen, vote.votes);
      if (vote.repeated) return { result: { outcome: "repeated", approval: shown, wakeUp: undefined } };
      return { result: { outcome: "voted", approval: shown }, ...written(seen, input) };
    }
  }
  // A grant lets other calls run at once, and programs outside of a run read the decision when they like.
  const holdMs =
    input.grant || approval.runId === null ? 0 : Math.min(input.holdMs ?? 0, approval.terms.holdMs);
  const wakeUp =
    holdMs > 0
      ? await hold(seen, approval, { ...decided, holdMs, began }, sealer)
      : await record(seen, approval, decided, sealer);
  const shown = shownCall(seen, decided.votes);
  return { result: { outcome: "decided", approval: shown, wakeUp }, ...written(seen, input) };
}

/** What is written, with the name of the person who has decided. */
function written(
  { request, call }: DecisionSeen,
  { principal }: DecideInput,
): { changes: Changes | undefined } {
  request.also.names = namesOf(call.row, [principal]);
  return { changes: request.changes() };
}

/** A decision that is about to be recorded, with all votes. */
interface Decided extends Deciding {
  votes: DecisionSeen["votes"];
}

/** A decision that takes effect now. */
async function record(
  seen: DecisionSeen,
  approval: Approval,
  deciding: Deciding,
  sealer: Sealer | undefined,
) {
  const { request, call } = seen;
  const { principal, type, reason, edited = null, responseJson = null, grant } = deciding.input;
  const decidedAt = decidedNow(seen.call.trail, request.now);
  const signed =
    sealer &&
    (await sealEvidence({ ...approval, edited, decidedAt }, madeBy(deciding), sealer, request.openUntil));
  if (signed) request.proofs.push(jsonFromRow(evidence, signed.row));
  call.change({
    status: statusAfter[type],
    // Somebody else may have written one into the row that is none.
    ...(call.row.heldUntil && noHold),
    responseJson,
    editedInputJson: edited?.inputJson ?? null,
    editedDigest: edited?.digest ?? null,
    ...(edited && { argumentsHash: argumentsHash({ ...call.row, inputJson: edited.inputJson }) }),
    decisionType: type,
    decidedBy: principal.id,
    decidedRoles: principal.roles,
    decisionReason: reason,
    decidedAt,
  });
  if (edited) countAnew(request, approval, edited.inputJson);
  const { tenantId, id: approvalId, notify, announcedAt } = call.row;
  request.audited.push({
    tenantId,
    approvalId,
    type: decisionEntryType(type),
    notify,
    actorId: principal.id,
    data: {
      ...entryOf(deciding, approval),
      ...signed?.entry,
      // Otherwise the time of the entry says it.
      ...(decidedAt > request.now && { decidedAt: decidedAt.toISOString() }),
    },
    ...(announcedAt && { waitedMs: decidedAt.getTime() - announcedAt.getTime() }),
  });
  if (grant) await giveGrant(seen, approval, principal, grant, sealer);
  return queueIfComplete(request);
}

export async function readReplacement(
  { db }: Session,
  approvalId: string,
): Promise<{ responseJson: string | null; editedInputJson: string | null }> {
  const [row] = await db
    .select({ responseJson: approvals.responseJson, editedInputJson: approvals.editedInputJson })
    .from(approvals)
    .where(eq(approvals.id, approvalId));
  return row ?? { responseJson: null, editedInputJson: null };
}
