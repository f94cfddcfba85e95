import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import type { Approval } from "../../approval/approval.js";
import { CountsChanged } from "../../approval/counts-changed.js";
import { type CallChange, type ProposalChange, validUntil } from "../changes.js";
import type { NewAuditEntry } from "../database.js";
import { type SealedEvidence, sealEvidence } from "../evidence/evidence.js";
import type { Sealer } from "../evidence/sealing.js";
import type { Proposal } from "../ports/request-port.js";
import { type Asked, askedOf, endedBy } from "../proposal-asked.js";
import { nothingSeen, type ProposalSeen } from "../proposal-seen.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { type KnownName, namesOf } from "../rows/known-names.js";
import { jsonFromRow } from "../rows/row-to-json.js";
import { evidence } from "../schema.js";
import type { Guess, Judgement } from "../verb.js";
import { beginning, grantedDecision } from "./beginning.js";
import { type NewCall, newCalls } from "./new-approval.js";
import { newCallRow, newRequest, writtenApproval } from "./new-rows.js";
import { Admissions } from "./proposal-limits.js";
import { signWish, takenUndo, takeUndo, type Wish } from "./undo.js";

/** A proposal with what is random in it, so that it is the same however often it is judged. */
export interface Prepared {
  proposal: Proposal;
  calls: readonly NewCall[];
  asked: Asked;
}

/** @param byLog Whether grants are counted by the log as well. */
export function prepare(proposal: Proposal, { byLog }: { byLog: boolean }): Prepared {
  const calls = newCalls(proposal);
  return { proposal, calls, asked: askedOf(proposal, calls, byLog) };
}

/** What became of a proposal. */
export interface Proposed {
  approvals: Approval[];
  /** An earlier attempt of its step has written them. */
  isKnown: boolean;
  /** How its run had ended before. */
  end: WithdrawalCause | null;
}

/** Whether the calls are counted by limits over time: what these judge by is only added to in turn. */
export function isCounted({ calls, counts }: Proposal): boolean {
  return counts !== undefined || calls.some(({ countedAs = [] }) => countedAs.length > 0);
}

/** What is to be written if nothing is there that would matter; `undefined` if that can never be. */
export async function guessProposal(prepared: Prepared): Promise<Guess<Proposed> | undefined> {
  if (prepared.asked.undoes.length > 0) return undefined;
  const { changes, written } = await judgeProposal(nothingSeen(prepared.asked), prepared, undefined);
  return changes && written && { changes, written };
}

/**
 * A request with its calls, unless it is there already. A retried step proposes the same request again: what its first attempt
 * wrote stays as it is.
 *
 * @throws CountsChanged
 * @throws CountersignError `not_undoable`
 */
export async function judgeProposal(
  seen: ProposalSeen,
  prepared: Prepared,
  sealer: Sealer | undefined,
): Promise<Judgement<Proposed>> {
  const { facts } = seen;
  const { proposal } = prepared;
  const result = {
    approvals: seen.calls.map((row) => approvalFromRow(row)),
    isKnown: facts.exists,
    end: facts.end,
  };
  // Another attempt of the same step was allowed to run the calls.
  if (facts.exists || facts.isAllowed) return { result };
  if (proposal.counts?.stand(seen.counted) === false) throw new CountsChanged();
  const admissions = new Admissions(seen, prepared, sealer);
  const undone = takeUndos(seen, prepared);
  const begun: Begun[] = [];
  for (const call of prepared.calls) begun.push(await begin(seen, prepared, call, admissions, sealer));
  const calls = rowsOf(begun, seen.now);
  const { tenantId } = proposal;
  const { uses, room } = admissions;
  return {
    result,
    changes: {
      tenantId,
      ...(seen.now && {
        judgedAt: seen.now,
        validUntil: validUntil(seen.now, ...undoTimes(proposal), ...uses.ends),
      }),
      ...((isCounted(proposal) || prepared.asked.calls.length > 0) && { turn: tenantId }),
      proposal: {
        asked: prepared.asked,
        facts,
        room,
        request: newRequest(proposal, { isSettled: endedBy(facts) !== undefined }),
        calls,
      },
      approvals: undone,
      ...(uses.changes.length > 0 && { grants: uses.changes }),
      proofs: begun.flatMap(({ sealed }) => (sealed ? [jsonFromRow(evidence, sealed.row)] : [])),
      names: namesOfRequester(prepared),
      audited: begun.map((each) => entryOf(proposal, each)),
    },
    written: (at) => ({ ...result, approvals: calls.map((row) => writtenApproval(row, at)) }),
  };
}

/** A call with its first status, and what is signed of it. */
interface Begun {
  call: NewCall;
  begins: ReturnType<typeof beginning>;
  /** Of an undo. */
  wish: Wish | undefined;
  /** Of a call that a grant approves. */
  sealed: SealedEvidence | undefined;
}

async function begin(
  seen: ProposalSeen,
  { proposal }: Prepared,
  call: NewCall,
  admissions: Admissions,
  sealer: Sealer | undefined,
): Promise<Begun> {
  const { proposed, fields } = call;
  const { now } = seen;
  const wish = sealer && now && (await signWish(now, fields, proposed.undo, sealer));
  const admission = await admissions.admit(proposed);
  const isSigned = sealer && now && admission.kind === "granted";
  // The lifetime of evidence depends on all calls of the request.
  const openMs = Math.max(...proposal.calls.map(({ timeoutMs }) => timeoutMs));
  const sealed = isSigned
    ? await sealEvidence(
        { ...fields, edited: null, decidedAt: now },
        grantedDecision(admission.grant),
        sealer,
        now.getTime() + openMs,
      )
    : undefined;
  return { call, begins: beginning(proposed, admission), wish, sealed };
}

/** The rows of the calls. If one is approved by evidence, all are as old as this, and not as what is written. */
function rowsOf(begun: readonly Begun[], now: Date | undefined): ProposalChange["calls"] {
  const at = begun.some(({ sealed }) => sealed) ? now : undefined;
  return begun.map(({ call, begins, wish, sealed }, index) => {
    const followed = begun.length - 1 - index;
    const set = {
      ...begins.set,
      undoToken: wish?.token ?? null,
      ...(at && { createdAt: new Date(at.getTime() - followed) }),
      ...(sealed && { decidedAt: sealed.decidedAt }),
    };
    const isCounted = begins.set.status !== "withdrawn";
    return {
      ...newCallRow(call, set, followed),
      counted: isCounted ? (call.proposed.countedAs ?? []) : [],
    };
  });
}

function entryOf(
  { agentName, requesterId }: Proposal,
  { call: { fields }, begins, wish, sealed }: Begun,
): NewAuditEntry {
  const { toolName, digest, policyVersion, tenantId, id: approvalId, notify = [], terms } = fields;
  const madeBy = agentName === null ? {} : { agentName };
  return {
    tenantId,
    approvalId,
    type: begins.auditType,
    notify,
    actorId: begins.actorId ?? terms.undoes?.askedBy ?? requesterId,
    data: {
      ...{ toolName, digest, policyVersion, ...madeBy },
      ...begins.data,
      ...wish?.entry,
      ...sealed?.entry,
    },
  };
}

/** What to write of the calls that these undo, in the order in which all lock them. */
function takeUndos(seen: ProposalSeen, { calls }: Prepared): CallChange[] {
  const changes = calls.flatMap(({ proposed }) => takeUndo(seen, proposed) ?? []);
  if (new Set(changes.map(({ id }) => id)).size < changes.length) throw takenUndo();
  return changes.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** The ends of the times in which the calls may be undone. */
function undoTimes({ calls }: Proposal): Date[] {
  return calls.flatMap(({ undo }) => undo?.until ?? []);
}

function namesOfRequester({ proposal: { requesterId, requesterName }, calls }: Prepared): KnownName[] {
  if (requesterId === null) return [];
  const requester = { id: requesterId, displayName: requesterName };
  return calls.flatMap(({ fields }) => namesOf(fields, [requester]) ?? []);
}
