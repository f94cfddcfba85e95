import type postgres from "postgres";
import type { Journal, UndoStart } from "../journal.js";
import { rowsIfReachable } from "../rows-if-reachable.js";
import { undoable, undoersNeeded } from "../scenario/tools.js";
import { canonical } from "./canonical.js";
import type { ApprovalRow, Rows, UndoRow } from "./rows.js";

/** The journal's counters of undos that have started, and of those that the ledger told to fail. */
export const undosStarted = "undos started";
export const undosFailed = "undos that fail";

/** Judges the start of an undo at once, as far as that needs no database (I23). */
export function judgeUndo(journal: Journal, start: UndoStart): void {
  const { tool, input, outcome, approvalId, undoneApprovalId } = start;
  const about = { invariant: "I23", approvalId: undoneApprovalId, ref: input.ref };
  const violate = (name: string, message: string) => journal.violate({ name, message, ...about });
  const call = journal.starts.find((other) => other.approvalId === undoneApprovalId);
  const returned = `carried out ${input.ref} for ${input.amount}`;
  if (call?.tool !== tool || canonical(call.input) !== canonical(input) || outcome !== returned) {
    violate(
      "undone-something-else",
      `${approvalId} undoes ${undoneApprovalId} with ${JSON.stringify({ input, outcome })}, which ran with ${JSON.stringify(call?.input)}`,
    );
  }
  const asked = journal.undoVotes.filter((vote) => vote.call === undoneApprovalId && vote.type !== "deny");
  const people = new Set(asked.map(({ who }) => who)).size;
  const needed = undoersNeeded(input);
  if (!asked.some(({ type }) => type === "ask") || people < needed) {
    violate(
      "undone-without-asking",
      `${input.ref} was undone when ${people} of ${needed} people had asked for it`,
    );
  }
  const earlier = journal.undoStarts.filter(
    (other) =>
      other !== start &&
      (other.approvalId === approvalId || (other.undoneApprovalId === undoneApprovalId && !other.fails)),
  );
  if (earlier.length > 0) {
    const ids = earlier.map((other) => other.approvalId).join(", ");
    violate("undone-twice", `${input.ref} was undone under ${approvalId} and before under ${ids}`);
  }
}

/** Compares the undos with the effects that the ledger knows, and with the calls that they undid (I23). */
export function judgeUndos(journal: Journal, { approvals, undos, audit }: Rows): void {
  for (const undo of undos) judgeEnd(journal, undo);
  for (const call of approvals) {
    const own = undos.filter(({ undoes }) => undoes === call.id);
    const entries = audit.filter(
      ({ type, approval_id }) => type === "call.undone" && approval_id === call.id,
    );
    judgeMark(journal, call, own, entries.length);
  }
}

/** Checks that an undo ended as what it did. */
function judgeEnd(journal: Journal, undo: UndoRow): void {
  const { id, status, undoes, asked_by } = undo;
  const violate = (name: string, message: string) =>
    journal.violate({
      name,
      invariant: "I23",
      message: `${id}, the undo of ${undoes}: ${message}`,
      approvalId: id,
    });
  const starts = journal.undoStarts.filter(({ approvalId }) => approvalId === id);
  const isAsked = journal.undoVotes.some(
    ({ call, who, type }) => call === undoes && who === asked_by && type === "ask",
  );
  if (!isAsked) violate("undone-without-asking", `${asked_by} has not asked for it`);
  if (undo.digests.proposed !== undo.digest) violate("wrong-digest", "has another digest");
  if (["denied", "expired", "withdrawn"].includes(status) && starts.length > 0) {
    violate("undone-without-asking", `is ${status} and started ${starts.length} times`);
  }
  if (status === "executed" && starts.length === 0)
    violate("marked-but-not-undone", "is executed and never started");
  if (status === "failed" && !starts.some(({ fails }) => fails)) {
    violate("failed-by-itself", "failed, and the ledger did not tell it to");
  }
  const isTold = starts.some(({ fails }) => !fails);
  if (isTold && status !== "executed" && status !== "interrupted") {
    violate("undone-but-not-marked", `took its call back, and is ${status}`);
  }
}

/** Checks while all goes on that the calls whose undos have run are marked: the end of an undo does both at once. */
export async function judgeMarks(sql: postgres.Sql, journal: Journal): Promise<void> {
  const rows = await rowsIfReachable(sql`
    select call.id, call.undone_at is not null as is_marked, exists (
        select from countersign.approvals undo
        where undo.terms -> 'undoes' ->> 'approvalId' = call.id and undo.status = 'executed') as is_done
    from countersign.approvals call where call.tool_name = ${undoable}`);
  for (const { id, is_done, is_marked } of rows) {
    judgeMarked(journal, { id: String(id), isDone: is_done === true, isMarked: is_marked === true });
  }
}

function judgeMarked(
  journal: Journal,
  { id, isDone, isMarked }: { id: string; isDone: boolean; isMarked: boolean },
): void {
  const violate = (name: string, message: string) =>
    journal.violate({ name, invariant: "I23", message: `${id}: ${message}`, approvalId: id });
  if (isDone && !isMarked) violate("undone-but-not-marked", "its undo ran, and it is not marked");
  if (!isDone && isMarked) violate("marked-but-not-undone", "is marked, and no undo of it ran");
}

/** Checks that a call is marked as undone, once, if its undo ran. */
function judgeMark(
  journal: Journal,
  { id, undone_at, status }: ApprovalRow,
  undos: readonly UndoRow[],
  entries: number,
): void {
  const violate = (name: string, message: string) =>
    journal.violate({ name, invariant: "I23", message: `${id}: ${message}`, approvalId: id });
  const done = undos.filter((undo) => undo.status === "executed").length;
  if (done > 1) violate("undone-twice", `has ${done} undos that ran`);
  judgeMarked(journal, { id, isDone: done > 0, isMarked: undone_at !== null });
  const marks = undone_at === null ? 0 : 1;
  if (entries !== marks) violate("undone-but-not-marked", `has ${entries} entries and ${marks} marks`);
  if (undos.length > 0 && status !== "executed")
    violate("undone-but-not-run", `is ${status} and has an undo`);
}
