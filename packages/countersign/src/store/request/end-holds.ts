import { isDeepStrictEqual } from "node:util";
import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { argumentsHash } from "../../approval/approval-digest.js";
import type { TrailEntry } from "../evidence/trail.js";
import { type StoredHold, storedHold } from "../ports/stored-hold.js";
import type { CallDraft, RequestDraft } from "../request-seen.js";
import { jsonFromRow } from "../rows/row-to-json.js";
import { evidence } from "../schema.js";

/** A call that ends or is decided holds no decision any more. */
export const noHold = { held: null, heldUntil: null } as const;

export const statusAfter = {
  approve: "approved",
  edit: "approved",
  deny: "denied",
  respond: "responded",
} as const;

/** The type of the entry with which a decision takes effect. */
export function decisionEntryType(type: StoredHold["type"]) {
  return type === "edit" ? "approval.edited" : (`approval.${statusAfter[type]}` as const);
}

/**
 * Lets the held decisions of a request take effect whose time is over. A decision that the log does not have, or has as taken
 * back, was written by somebody else into the row: its call ends.
 */
export function endHolds(request: RequestDraft): void {
  for (const call of request.calls) {
    const { status, digest, held, heldUntil: until } = call.row;
    if (status !== "pending" || !until || until > request.now) continue;
    const { data: hold } = storedHold.safeParse(held);
    const made = hold && madeEntry(call.trail, { ...hold, digest, until });
    if (hold && made) takeEffect(request, call, hold, made);
    else endChanged(request, call);
  }
}

/** The entry with which a decision of a row was made, unless it was taken back since. */
function madeEntry(
  trail: readonly TrailEntry[],
  {
    type,
    decidedBy,
    roles,
    digest,
    until,
    edited,
    evidence: signed,
  }: StoredHold & { digest: string; until: Date | null },
): TrailEntry | undefined {
  const last = trail.findLast((each) => ["approval.held", "approval.taken_back"].includes(each.type));
  if (last?.type !== "approval.held" || last.actorId !== storableText(decidedBy)) return undefined;
  const { data } = last;
  const isSame =
    data.type === type &&
    data.digest === digest &&
    data.until === until?.toISOString() &&
    isDeepStrictEqual(data.roles, roles) &&
    data.editedDigest === edited?.digest &&
    data.evidenceId === signed?.id;
  return isSame ? last : undefined;
}

function takeEffect(
  request: RequestDraft,
  call: CallDraft,
  { type, decidedBy, edited, evidence: signed, ...hold }: StoredHold,
  made: TrailEntry,
): void {
  const decidedAt = new Date(hold.decidedAt);
  call.change({
    status: statusAfter[type],
    ...noHold,
    responseJson: hold.responseJson,
    editedInputJson: edited?.inputJson ?? null,
    editedDigest: edited?.digest ?? null,
    ...(edited && { argumentsHash: argumentsHash({ ...call.row, inputJson: edited.inputJson }) }),
    decisionType: type,
    decidedBy,
    decidedRoles: hold.roles,
    decisionReason: hold.reason,
    decidedAt,
  });
  if (signed) request.proofs.push(jsonFromRow(evidence, signed));
  const { tenantId, id: approvalId, notify, announcedAt } = call.row;
  const { type: _, until: __, ...entry } = made.data;
  request.audited.push({
    tenantId,
    approvalId,
    notify,
    type: decisionEntryType(type),
    actorId: decidedBy,
    data: { ...entry, heldFrom: hold.decidedAt },
    ...(announcedAt ? { waitedMs: decidedAt.getTime() - announcedAt.getTime() } : {}),
  });
}

/** Ends a call whose row was changed by somebody else. */
export function endChanged(request: RequestDraft, call: CallDraft): void {
  withdraw(request, call, "digest_changed");
}

export function withdraw(request: RequestDraft, call: CallDraft, cause: WithdrawalCause): void {
  call.change({ status: "withdrawn", withdrawalCause: cause, finishedAt: request.now, ...noHold });
  const { tenantId, id: approvalId, notify } = call.row;
  request.audited.push({ tenantId, approvalId, type: "approval.withdrawn", notify, data: { cause } });
}
