import { type ApprovalStatus, statusesBefore } from "@countersign/policy/internal/shared/approval-status";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { matchesItsDigests } from "../../approval/intact.js";
import type { AuditVerification } from "../../audit/audit-entry.js";
import { saltedHash } from "../../evidence/salted-hash.js";
import { approvalFromRow } from "../rows/approval-row.js";
import type { approvals } from "../schema.js";
import { holdProblem, type LoggedState } from "./verify-people.js";

export type Fault = Extract<AuditVerification, { ok: false }>;

/** A decision's time is taken before it is signed, and that of its entry right before the commit. */
const maxDecisionMs = 600_000;

/** The state of a row after each entry that sets one. Others, such as votes and reminders, do not. */
export const stateAfter: Readonly<Record<string, ApprovalStatus>> = {
  "approval.proposed": "proposed",
  "approval.announced": "pending",
  "approval.notified": "approved",
  "approval.granted": "approved",
  "approval.approved": "approved",
  "approval.edited": "approved",
  "approval.denied": "denied",
  "approval.denied_by_policy": "denied",
  "approval.responded": "responded",
  "approval.expired": "expired",
  "approval.withdrawn": "withdrawn",
  "approval.executing": "executing",
  "approval.executed": "executed",
  "approval.failed": "failed",
  "approval.interrupted": "interrupted",
};

const decisionEntries = [
  "approval.notified",
  "approval.granted",
  "approval.approved",
  "approval.edited",
  "approval.denied",
  "approval.denied_by_policy",
  "approval.responded",
];

/** The states in which a call may be proposed. */
const firstStates: readonly ApprovalStatus[] = ["proposed", "approved", "denied", "withdrawn"];

export function fault(position: number, approvalId: string, message: string): Fault {
  return { ok: false, position, problem: "row", approvalId, message };
}

export type ApprovalRow = typeof approvals.$inferSelect;

/** A row, and what the log has about it. */
export interface Compared {
  row: ApprovalRow;
  /** The entries that change its status, oldest first. */
  states: LoggedState[];
  /** Who holds a decision of the pending call by its row. */
  heldBy: string | null;
  /** The last entry about a decision that was held, or taken back. */
  hold: LoggedState | null;
  /** A person about whose vote the log says something else. */
  voter: string | null;
  /** The undo that ran for the call, as the log has it. */
  undoneBy: string | null;
}

/** Where a row and its entries disagree, if they do. */
export function faultOf({ row, states, ...others }: Compared, end: number): Fault | undefined {
  const { id } = row;
  const [first, last] = [states[0], states.at(-1)];
  if (!first || !last)
    return fault(end, id, `The log has no entry for a call whose row has status ${row.status}`);
  const wrong = wrongTransition(states);
  if (wrong) return about(wrong, id, "the call could not do so after its earlier entries");
  if (stateAfter[last.type] !== row.status) {
    const words = `Entry ${last.position} (${last.type}) is the last status entry of a call whose row has status ${row.status}`;
    return fault(last.position, id, words);
  }
  if (first.digest !== row.digest) return about(first, id, "the row has a different digest");
  if (!hasOwnDigests(row)) return about(first, id, "the row's content does not match its digest");
  const decision = states.findLast(({ type }) => decisionEntries.includes(type));
  if (!isSameDecision(row, decision)) return about(decision ?? last, id, "the row has a different decision");
  if (hashOf(row, row.outcomeJson) !== (last.outcomeHash ?? null))
    return about(last, id, "the row has a different outcome");
  return faultOfOthers(row, { ...others, decision }, last);
}

function about({ position, type }: LoggedState, approvalId: string, words: string): Fault {
  return fault(position, approvalId, `Entry ${position} (${type}): ${words}`);
}

/** An entry that could not follow those before it: a call starts once, and what has ended does not change. */
function wrongTransition(states: readonly LoggedState[]): LoggedState | undefined {
  let before: ApprovalStatus | undefined;
  return states.find(({ type }) => {
    const status = stateAfter[type] ?? "proposed";
    const follows = before ? statusesBefore(status).includes(before) : firstStates.includes(status);
    before = status;
    return !follows;
  });
}

/** Whether the digests in a row are those of its content, which may be what nobody but SQL could write. */
function hasOwnDigests(row: ApprovalRow): boolean {
  try {
    return matchesItsDigests(approvalFromRow(row));
  } catch {
    return false;
  }
}

function hashOf(row: ApprovalRow, text: string | null): string | null {
  return text === null ? null : saltedHash(row, text);
}

/** What is compared with entries of other kinds: a hold, votes, and an undo. */
function faultOfOthers(
  row: ApprovalRow,
  {
    decision = null,
    hold,
    voter,
    ...by
  }: Omit<Compared, "row" | "states"> & { decision: LoggedState | null | undefined },
  last: LoggedState,
): Fault | undefined {
  const { id } = row;
  const held = holdProblem({ ...row, decision, hold, heldBy: by.heldBy });
  if (held) return fault(held.position ?? last.position, id, held.words);
  if (voter !== null)
    return fault(last.position, id, `The log does not have the vote of ${voter} as the row has it`);
  const undoneBy = row.undoneAt && (row.undoId ?? "no call");
  if (by.undoneBy !== undoneBy) {
    const undone = (by: string | null) => (by === null ? "not undone" : `undone by ${by}`);
    const words = `By the log, the call is ${undone(by.undoneBy)}, by its row it is ${undone(undoneBy)}`;
    return fault(last.position, id, words);
  }
  return undefined;
}

function isSameDecision(row: ApprovalRow, decision: LoggedState | undefined): boolean {
  const { decisionType, decidedBy, decidedAt, grantId } = row;
  if (decisionType === null || !decision) return decisionType === null && !decision;
  const alone = decidedBy === null;
  const expected = {
    approve: grantId !== null ? "approval.granted" : alone ? "approval.notified" : "approval.approved",
    edit: "approval.edited",
    deny: alone ? "approval.denied_by_policy" : "approval.denied",
    respond: "approval.responded",
  }[decisionType];
  // Of a decision that the policy or a grant made, the row gives the reason in our own words.
  const reason = alone || grantId !== null ? null : row.decisionReason;
  return (
    decision.type === expected &&
    (decidedBy === null || decision.actor === storableText(decidedBy)) &&
    Math.abs(Number(decidedAt) - decidedAtBy(decision)) <= maxDecisionMs &&
    (decision.editedDigest ?? null) === row.editedDigest &&
    (decision.reasonHash ?? null) === hashOf(row, reason) &&
    (decision.responseHash ?? null) === hashOf(row, row.responseJson)
  );
}

/** When the decision was made by its entry, in milliseconds. */
function decidedAtBy({ at, madeAt }: LoggedState): number {
  return madeAt ? Date.parse(madeAt) : at;
}
