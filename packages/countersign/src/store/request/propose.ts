import { eq, type SQL, sql } from "drizzle-orm";
import { CountsChanged } from "../../approval/counts-changed.js";
import { nonDefaultTerms } from "../../approval/default-terms.js";
import { audit } from "../audit/audit.js";
import { builtOnce, type ValueOf } from "../built-once.js";
import { inOrder, type Session, type Transaction, together } from "../database.js";
import { openUntil, type ProvenDecision, type SealedEvidence, writeEvidence } from "../evidence/evidence.js";
import type { Sealer } from "../evidence/sealing.js";
import type { UsedGrant } from "../grant/use-grant.js";
import type { Proposal, ProposedCall } from "../ports/request-port.js";
import { noteName } from "../rows/known-names.js";
import { approvals, requests } from "../schema.js";
import { countCall, readCounts } from "./counted-calls.js";
import { insertCall } from "./insert-call.js";
import { newApproval } from "./new-approval.js";
import { type Admission, asksPeople, createAdmission, takeTurn } from "./proposal-limits.js";
import { signWish, takeUndo } from "./undo.js";

/** The status of a new call by verdict: some are pending, the policy has decided the others. */
const decidedByPolicy = {
  ask: { status: "proposed", auditType: "approval.proposed", decisionType: undefined },
  manual: { status: "proposed", auditType: "approval.proposed", decisionType: undefined },
  notify: { status: "approved", auditType: "approval.notified", decisionType: "approve" },
  deny: { status: "denied", auditType: "approval.denied_by_policy", decisionType: "deny" },
} as const;

/** Writes a request with its calls, unless it is there already. Returns whether it wrote them. */
export async function propose(
  session: Transaction,
  proposal: Proposal,
  nonces: readonly string[],
  sealer?: Sealer,
): Promise<boolean> {
  // What is read holds for as long as this proposal has the turn.
  const [, inserted, [admit, counted]] = await inOrder(
    () => needsTurn(proposal) && takeTurn(session, proposal.tenantId),
    () => insertRequest(session, requestRow(proposal)),
    () =>
      together([
        createAdmission(session, proposal, sealer),
        readCounts(session, proposal.tenantId, proposal.counts?.queries ?? []),
      ]),
  );
  // A retried step proposes the same request again. What its first attempt wrote stays as it is.
  if (inserted.length === 0) return false;
  if (proposal.counts?.stand(counted) === false) throw new CountsChanged();
  const beginnings = [];
  for (const [index, proposed] of proposal.calls.entries()) {
    await takeUndo(session, proposed, proposal.tenantId);
    const call = newApproval(proposal, proposed, nonces[index]);
    const wish = sealer && (await signWish(session, call, proposed.undo, sealer));
    const admission = await admit({ ...proposed, callHash: call.callHash });
    const { set, ...entry } = beginning(proposed, admission);
    beginnings.push({ call, entry, admission, wish });
    const followed = proposal.calls.length - 1 - index;
    const stored = { ...call, terms: nonDefaultTerms(call.terms), undoToken: wish?.token ?? null, ...set };
    insertCall(session, stored, followed);
    if (admission.kind !== "refused")
      countCall(session, call, proposed.countedAs ?? [], inTheirOrder(session, followed));
    if (proposal.requesterId !== null)
      noteName(session, call, { id: proposal.requesterId, displayName: proposal.requesterName });
  }
  // The lifetime of evidence depends on all calls of the request.
  const madeBy = proposal.agentName === null ? {} : { agentName: proposal.agentName };
  for (const { call, entry, admission, wish } of beginnings) {
    const signed =
      sealer && admission.kind === "granted"
        ? await signGranted(session, call, admission.grant, sealer)
        : undefined;
    const { toolName, digest, policyVersion } = call;
    audit(session, {
      tenantId: proposal.tenantId,
      approvalId: call.id,
      type: entry.auditType,
      notify: call.notify ?? [],
      actorId: entry.actorId ?? call.terms.undoes?.askedBy ?? proposal.requesterId,
      data: { toolName, digest, policyVersion, ...madeBy, ...entry.data, ...wish?.entry, ...signed?.entry },
    });
  }
  return true;
}

function requestRow({ requestId, tenantId, threadId, runId, appId, ...optional }: Proposal) {
  const { instanceId = null, parentRunId = null, modelText = null } = optional;
  return { id: requestId, tenantId, threadId, runId, appId, instanceId, parentRunId, modelText };
}

const insertRequest = builtOnce(({ db, now }, value: ValueOf<keyof ReturnType<typeof requestRow>>) =>
  db
    .insert(requests)
    .values({
      id: value("id"),
      tenantId: value("tenantId"),
      threadId: value("threadId"),
      runId: value("runId"),
      appId: value("appId"),
      instanceId: value("instanceId"),
      parentRunId: value("parentRunId"),
      modelText: value("modelText"),
      createdAt: now,
    })
    .onConflictDoNothing()
    .returning({ id: requests.id }),
);

/** Whether the numbers that this proposal reads must hold at its commit. */
function needsTurn({ calls, counts }: Proposal): boolean {
  return counts !== undefined || calls.some((call) => asksPeople(call) || call.countedAs?.length);
}

/** Now, less a millisecond for each call that follows in the response: lists are in the order of this time. */
function inTheirOrder({ now }: Session, followed: number): SQL<Date> {
  return sql<Date>`${now} - ${followed} * interval '1 millisecond'`;
}

async function signGranted(
  session: Transaction,
  call: ReturnType<typeof newApproval>,
  grant: UsedGrant,
  sealer: Sealer,
): Promise<SealedEvidence> {
  const [row] = await session.db
    .select({ decidedAt: approvals.decidedAt, openUntil: openUntil(session, call.requestId) })
    .from(approvals)
    .where(eq(approvals.id, call.id));
  if (!row?.decidedAt) throw new Error("unreachable: the decision was just written");
  const decided = { ...call, edited: null, decidedAt: row.decidedAt };
  return writeEvidence(session, decided, grantedDecision(grant), sealer, Number(row.openUntil));
}

/** Stands in the place of a person's reason. */
const grantedReason = "Approved by a grant";

/** A grant approves under the contract that its grantor has reviewed. */
function grantedDecision({ id, grantedBy, grantedRoles }: UsedGrant): ProvenDecision {
  return {
    type: "approve",
    principalId: grantedBy,
    roles: grantedRoles,
    onBehalfOf: null,
    grantId: id,
    origin: "operator-contract-review",
    via: null,
    reason: grantedReason,
    responseJson: null,
  };
}

/** The first status of a new call, and its audit entry. */
function beginning({ verdict, reason }: ProposedCall, admission: Admission) {
  if (admission.kind === "granted") {
    const { id: grantId, grantedBy, grantedRoles, amount } = admission.grant;
    return {
      set: {
        status: "approved" as const,
        decisionType: "approve" as const,
        decidedBy: grantedBy,
        decidedRoles: grantedRoles,
        decisionReason: grantedReason,
        grantId,
        grantAmount: amount === null ? null : String(amount),
      },
      auditType: "approval.granted" as const,
      actorId: grantedBy,
      data: { grantId, ...(amount === null ? {} : { amount }) },
    };
  }
  if (admission.kind === "refused") {
    const { cause, duplicateOf } = admission;
    return {
      set: { status: "withdrawn" as const, withdrawalCause: cause, duplicateOf },
      auditType: "approval.withdrawn" as const,
      data: { cause, ...(duplicateOf === null ? {} : { duplicateOf }) },
    };
  }
  const { status, auditType, decisionType } = decidedByPolicy[verdict];
  const decided = decisionType ? { decisionType, decisionReason: reason } : {};
  const { overBudget = null } = admission;
  return { set: { status, ...decided, overBudget }, auditType };
}
