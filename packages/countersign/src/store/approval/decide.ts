import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { severalDecide } from "../../approval/quorum.js";
import { coveringStop } from "../../stops/stop.js";
import { audit } from "../audit/audit.js";
import { builtOnce, type ValueOf, valueFor } from "../built-once.js";
import type { Session, Transaction } from "../database.js";
import { decidedNow } from "../evidence/decision-time.js";
import { milliseconds, openUntil, writeEvidence } from "../evidence/evidence.js";
import type { Sealer } from "../evidence/sealing.js";
import { giveGrant, isSameGrant } from "../grant/give-grant.js";
import type { DecideInput, DecideResult } from "../ports/approval-port.js";
import { countAnew } from "../request/counted-calls.js";
import { decisionEntryType, statusAfter } from "../request/end-holds.js";
import type { LockedRequest } from "../request/lock-request.js";
import { expiredFirst, lockApproval } from "../request/locked-approval.js";
import { takeTurn } from "../request/proposal-limits.js";
import { wakeUpComplete, wakeUpIfComplete } from "../request/wake-up.js";
import { withdrawChanged } from "../request/withdraw-changed.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { hasStatus } from "../rows/has-status.js";
import { noteName } from "../rows/known-names.js";
import { withPeople, withViewers } from "../rows/read-approval.js";
import { approvals } from "../schema.js";
import { readStopsOver } from "../stop/stops.js";
import { type Deciding, entryOf, madeBy } from "./deciding.js";
import { refuseDecision } from "./decision-refusals.js";
import { decidesFor } from "./delegation.js";
import { hold } from "./hold.js";
import { vote } from "./vote.js";

/** Records one person's decision: authorisation, compare-and-swap, audit entry and outbox row together. */
export async function decide(
  session: Transaction,
  input: DecideInput,
  sealer?: Sealer,
): Promise<DecideResult> {
  const { principal } = input;
  if (input.edited?.isCounted) await takeTurn(session, principal.tenantId);
  const locked = await lockApproval(session, principal, input.approvalId);
  if (!locked) return { outcome: "not_found" };
  const { request, approval } = locked;
  const refused = await refuseDecision({
    approval,
    input,
    readStop: async () => {
      const engaged = locked.mayBeStopped ? await readStopsOver(session, principal.tenantId) : [];
      return coveringStop(engaged, approval);
    },
    gaveSameGrant: () => isSameGrant(session, approval.id, input.grant),
  });
  if (refused) return refused.outcome === "digest_changed" ? endChanged(session, request, approval) : refused;
  const onBehalfOf = await decidesFor(session, approval, principal, sealer);
  if (onBehalfOf === undefined) return { outcome: "forbidden", approval };

  noteName(session, approval, principal);
  const { type } = input;
  const decided: Decided = { input, onBehalfOf, voteId: undefined, completes: !locked.hasOpenSiblings };
  if ((type === "approve" || type === "deny") && severalDecide(approval.terms)) {
    const voted = await vote(session, approval, { ...input, type, onBehalfOf }, sealer);
    decided.voteId = voted.voteId;
    if (voted.outcome === "late") return expiredFirst(session, request, approval);
    if (!voted.decisive) {
      return voted.outcome === "repeated"
        ? { outcome: "repeated", approval: await withViewers(session, voted.approval), wakeUp: undefined }
        : { outcome: "voted", approval: await withViewers(session, voted.approval) };
    }
  }
  // A grant lets other calls run at once, and programs outside of a run read the decision when they like.
  const holdMs =
    input.grant || approval.runId === null ? 0 : Math.min(input.holdMs ?? 0, approval.terms.holdMs);
  return holdMs > 0
    ? hold(session, request, approval, { ...decided, holdMs }, sealer)
    : record(session, request, approval, decided, sealer);
}

/** Ends a call whose row was tampered with: it cannot start any more, so nobody should wait for it. */
async function endChanged(
  session: Transaction,
  request: LockedRequest,
  approval: Approval,
): Promise<DecideResult> {
  const withdrawn = await withdrawChanged(session, approval.id);
  const wakeUp = await wakeUpIfComplete(session, request);
  return { outcome: "digest_changed", approval: withdrawn ?? approval, wakeUp };
}

/** A decision that is about to be recorded. */
interface Decided extends Deciding {
  /** No other call of the request is open. */
  completes: boolean;
}

const written = [
  "status",
  "responseJson",
  "editedInputJson",
  "editedDigest",
  "decisionType",
  "decidedBy",
  "decidedRoles",
  "decisionReason",
] as const;

const compareAndSwap = builtOnce(
  (session, value: ValueOf<"requestId" | "approvalId" | "tenantId" | "digest" | (typeof written)[number]>) =>
    session.db
      .update(approvals)
      .set({
        ...Object.fromEntries(written.map((name) => [name, valueFor(approvals[name], value(name))])),
        decidedAt: decidedNow(session),
      })
      .where(
        and(
          eq(approvals.id, value("approvalId")),
          eq(approvals.tenantId, value("tenantId")),
          hasStatus("pending"),
          isNull(approvals.heldUntil),
          eq(approvals.digest, value("digest")),
          sql`${approvals.expiresAt} > ${session.now}`,
        ),
      )
      .returning({
        ...getTableColumns(approvals),
        openUntil: openUntil(session, value("requestId")),
        clock: milliseconds(session.now).as("clock"),
      }),
);

/** Records the decision, if it is the first. */
async function record(
  session: Transaction,
  request: LockedRequest,
  approval: Approval,
  { completes, ...deciding }: Decided,
  sealer: Sealer | undefined,
): Promise<DecideResult> {
  const { input } = deciding;
  const { principal } = input;
  const [updated] = await compareAndSwap(session, {
    requestId: request.id,
    approvalId: input.approvalId,
    tenantId: principal.tenantId,
    digest: input.digest,
    status: statusAfter[input.type],
    responseJson: input.responseJson ?? null,
    editedInputJson: input.edited?.inputJson ?? null,
    editedDigest: input.edited?.digest ?? null,
    decisionType: input.type,
    decidedBy: principal.id,
    decidedRoles: principal.roles,
    decisionReason: input.reason,
  });
  if (!updated) return expiredFirst(session, request, approval);
  const { openUntil: until, clock, ...row } = updated;
  const decided = approvalFromRow(row);
  if (input.edited) countAnew(session, decided, input.edited.inputJson);
  const decidedAt = row.decidedAt ?? new Date();
  const wakeUp = completes ? wakeUpComplete(session, request) : undefined;
  const signed =
    sealer && (await writeEvidence(session, { ...decided, decidedAt }, madeBy(deciding), sealer, until));
  const time = signed?.decidedAt ?? decidedAt;
  // Otherwise the time of the entry says it.
  const isAhead = time.getTime() > Number(clock);
  audit(session, {
    tenantId: row.tenantId,
    approvalId: row.id,
    type: decisionEntryType(input.type),
    notify: row.notify,
    actorId: principal.id,
    data: {
      ...entryOf(deciding, approval),
      ...signed?.entry,
      ...(isAhead && { decidedAt: time.toISOString() }),
    },
    ...(row.announcedAt && row.decidedAt
      ? { waitedMs: row.decidedAt.getTime() - row.announcedAt.getTime() }
      : {}),
  });
  if (input.grant) await giveGrant(session, approval, principal, input.grant, sealer);
  const [shown] = await withPeople(session, [signed ? { ...row, decidedAt: signed.decidedAt } : row]);
  return { outcome: "decided", approval: shown ?? decided, wakeUp };
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
