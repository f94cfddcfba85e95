import type postgres from "postgres";
import type { Journal, Sent } from "../journal.js";
import { isDecidedAtBoard } from "../scenario/channels.js";
import { people, requester } from "../scenario/people.js";
import { tools } from "../scenario/tools.js";
import type { ApprovalRow, AuditRow } from "./rows.js";

/** How long after the end of a hold its decision may take effect, in milliseconds, while processes die. */
const slowestMs = 30_000;

type Violate = (name: string, invariant: string, message: string) => void;

const statusBy: Record<string, string[]> = {
  approve: ["approved", "executing", "executed", "failed", "interrupted", "withdrawn", "expired"],
  edit: ["approved", "executing", "executed", "failed", "interrupted", "withdrawn", "expired"],
  deny: ["denied"],
  respond: ["responded"],
};
const entryBy: Record<string, string> = {
  approve: "approval.approved",
  edit: "approval.edited",
  deny: "approval.denied",
  respond: "approval.responded",
};

/** Checks that each call has one recorded decision, by a permitted person, and that people were notified of that one. */
export function judgeDecision(journal: Journal, approval: ApprovalRow, audit: readonly AuditRow[]): void {
  const { id, decision_type: type, decided_by: by, status, tool_name: tool } = approval;
  const violate = (name: string, invariant: string, message: string) =>
    journal.violate({
      name,
      invariant,
      message: `${id} (${approval.input_json.ref}, ${tool}): ${message}`,
      approvalId: id,
      ref: approval.input_json.ref,
      runId: approval.run_id,
    });
  const { gate } = tools[tool];
  const withinLimit = gate === "limited" && approval.verdict === "notify";
  const byPerson = gate !== "none" && gate !== "notify" && gate !== "forbidden" && !withinLimit;
  const entries = audit.filter(
    (entry) => entry.approval_id === id && Object.values(entryBy).includes(entry.type),
  );
  const taken = journal.sentFor(id).filter((sent) => sent.status === 200 && !sent.takenBack);
  if (approval.grant_id !== null) {
    const granted = audit.filter(
      (entry) => entry.approval_id === id && entry.type === "approval.granted" && entry.actor_id === by,
    );
    if (taken.length > 0 || entries.length > 0 || granted.length !== 1)
      violate(
        "decided-without-asking",
        "I3",
        `a grant approved it, which the log says ${granted.length} times`,
      );
    return;
  }
  if (!byPerson) {
    if (taken.length > 0 || entries.length > 0) violate("decided-without-asking", "I3", "nobody was asked");
    return;
  }
  judgeTakenBack(journal, approval, audit, violate);
  if (entries.length > 1) violate("two-decisions", "I3", `has ${entries.length} entries of decisions`);
  if (type === null) {
    if (entries.length > 0) violate("lost-decision", "I3", "has an entry of a decision and no decision");
    // A vote is accepted without being a decision.
    if (taken.length > 0 && gate !== "two people" && !endedWhileHeld(approval, taken, audit))
      violate("lost-decision", "I4", "a decision was taken, and is gone");
    return;
  }
  const [entry] = entries;
  if (entry?.type !== entryBy[type] || entry?.actor_id !== by) {
    violate(
      "unaudited-decision",
      "I8",
      `was decided (${type}) by ${by}; the log says ${entry?.type} by ${entry?.actor_id}`,
    );
  }
  if (!statusBy[type]?.includes(status))
    violate("wrong-state", "I3", `was decided (${type}) and is ${status}`);
  judgePlace(approval, entry, taken, violate);
  judgeHold(approval, entry, taken, violate);
  const mayDecide = by !== null && by !== requester && Object.hasOwn(people, by);
  const roles = mayDecide ? people[by as keyof typeof people].roles : [];
  if (!roles.some((role) => role === "finance" || role === "lead")) {
    violate("decided-by-the-wrong-person", "I7", `was decided by ${by}`);
  }
  judgeAnswers(approval, taken, violate);
  if (gate === "two people" && type === "approve") judgeQuorum(journal, approval, violate);
}

/** Checks, as soon as a person is told that their decision is taken back, that the audit log has it. */
export async function judgeTakenBackAtOnce(
  sql: postgres.Sql,
  journal: Journal,
  { approvalId, move }: Sent,
): Promise<void> {
  const entries = await sql`
    select position from countersign.audit_entries
    where approval_id = ${approvalId} and type = 'approval.taken_back' and actor_id = ${move.who}`.catch(
    () => undefined,
  );
  if (entries === undefined || entries.length > 0) return;
  const message = `${move.who} was told that the decision (${move.type}) about ${approvalId} is taken back; the log does not say so`;
  journal.violate({ name: "lost-take-back", invariant: "I4", message, approvalId });
}

/** The same at the end, also for what the database could not be asked about. */
function judgeTakenBack(
  journal: Journal,
  { id }: ApprovalRow,
  audit: readonly AuditRow[],
  violate: Violate,
): void {
  for (const { move } of journal.sentFor(id).filter(({ takenBack }) => takenBack)) {
    const isLogged = audit.some(
      (entry) =>
        entry.approval_id === id && entry.type === "approval.taken_back" && entry.actor_id === move.who,
    );
    if (isLogged) continue;
    violate(
      "lost-take-back",
      "I4",
      `${move.who} took the decision (${move.type}) back; the log does not say so`,
    );
  }
}

/** Checks that a decision took effect no sooner than its person wanted. */
function judgeHold(
  { decided_by: by, decision_type: type }: ApprovalRow,
  entry: AuditRow | undefined,
  taken: readonly Sent[],
  violate: Violate,
): void {
  const own = taken.filter(({ move }) => move.who === by && move.type === type);
  const earliest = Math.min(...own.map(({ at, move }) => at + move.holdMs));
  if (entry === undefined || own.length === 0 || entry.at.getTime() >= earliest) return;
  violate(
    "decided-while-held",
    "I3",
    `was decided (${type}) ${earliest - entry.at.getTime()} ms before the end of its hold`,
  );
}

/** Whether the call was withdrawn in the time for which its decisions were held, or while processes were slow to look. */
function endedWhileHeld({ id, status }: ApprovalRow, taken: readonly Sent[], audit: readonly AuditRow[]) {
  const end = audit.find((entry) => entry.approval_id === id && entry.type === "approval.withdrawn");
  return (
    status === "withdrawn" &&
    end !== undefined &&
    taken.every(
      ({ move, answeredAt = 0 }) =>
        move.holdMs > 0 && end.at.getTime() <= answeredAt + move.holdMs + slowestMs,
    )
  );
}

/** Checks that the audit log names the channel of each decision, and that the rule allows decisions there. */
function judgePlace(
  { decided_by: by, decision_type: type, tool_name: tool }: ApprovalRow,
  entry: AuditRow | undefined,
  taken: readonly Sent[],
  violate: Violate,
): void {
  const place = entry?.data.via === "board" ? "board" : "inbox";
  const own = taken.filter(({ move }) => move.who === by && move.type === type);
  if (own.length > 0 && !own.some((sent) => sent.place === place)) {
    violate("wrong-place", "I13", `${by} decided at the ${own[0]?.place}; the log says at the ${place}`);
  }
  if (place === "board" && !isDecidedAtBoard(tool)) {
    violate("wrong-place", "I13", "was decided at the board, where its rule lets nobody decide");
  }
}

/** Checks that the person who was told that their decision counts is the recorded decider. */
function judgeAnswers(approval: ApprovalRow, taken: readonly Sent[], violate: Violate): void {
  if (tools[approval.tool_name].gate === "two people") return;
  for (const { move } of taken) {
    if (move.who !== approval.decided_by || move.type !== approval.decision_type) {
      violate(
        "two-winners",
        "I3",
        `${move.who} was told that the decision (${move.type}) was taken; ${approval.decided_by} decided (${approval.decision_type})`,
      );
    }
    if (move.type === "edit" && approval.edited_input_json?.amount !== move.amount) {
      violate(
        "wrong-edit",
        "I5",
        `the edit to ${move.amount} is kept as ${approval.edited_input_json?.amount}`,
      );
    }
  }
}

function judgeQuorum(journal: Journal, { id }: ApprovalRow, violate: Violate): void {
  const voters = new Set(
    journal
      .sentFor(id)
      .filter(({ move }) => move.type === "approve")
      .map(({ move }) => move.who),
  );
  if (voters.size < 2) violate("quorum-missed", "I7", `was approved by ${voters.size} of 2 people`);
}
