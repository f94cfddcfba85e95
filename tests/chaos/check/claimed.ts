import type postgres from "postgres";
import type { Journal, Start, UndoStart } from "../journal.js";
import { rowsIfReachable } from "../rows-if-reachable.js";
import { tools } from "../scenario/tools.js";

/** The statuses of a row that was not claimed, whose handler must not run. */
const unclaimed = ["proposed", "pending", "approved", "denied", "responded", "expired", "withdrawn"];

/** Checks that the approval of a starting handler was claimed for it (I1). */
export async function judgeClaimed(sql: postgres.Sql, journal: Journal, start: Start): Promise<void> {
  const { approvalId, input, tool } = start;
  if (approvalId === null) return judgeUngated(sql, journal, start);
  const [row] = await rowsIfReachable(sql`select status from countersign.approvals where id = ${approvalId}`);
  if (!row || !unclaimed.includes(String(row.status))) return;
  journal.violate({
    name: "started-unclaimed",
    invariant: "I1",
    message: `${tool} started for ${input.ref} while ${approvalId} was ${row.status}`,
    approvalId,
    ref: input.ref,
  });
}

/** Checks that an undo that starts was claimed (I23). */
export async function judgeUndoClaimed(sql: postgres.Sql, journal: Journal, start: UndoStart): Promise<void> {
  const { approvalId, input } = start;
  const [row] = await rowsIfReachable(sql`select status from countersign.approvals where id = ${approvalId}`);
  if (!row || !unclaimed.includes(String(row.status))) return;
  journal.violate({
    name: "undone-unclaimed",
    invariant: "I23",
    message: `The undo of ${input.ref} started while ${approvalId} was ${row.status}`,
    approvalId,
    ref: input.ref,
  });
}

/** Checks that nobody was asked about a call that starts as an allowed one (I20). */
async function judgeUngated(sql: postgres.Sql, journal: Journal, { input, tool }: Start): Promise<void> {
  const [row] = await rowsIfReachable(sql`select id, status from countersign.approvals
    where status <> 'proposed' and terms ->> 'undoes' is null and input_json::json ->> 'ref' = ${input.ref}`);
  if (!row) return;
  journal.violate({
    name: "ran-ungated",
    invariant: "I20",
    message: `${tool} ran for ${input.ref} as an allowed call, while ${row.id} was ${row.status}`,
    approvalId: String(row.id),
    ref: input.ref,
  });
}

/** Checks that a run never asks its model again before people have decided about its calls (I1, I4). */
export async function judgeTurn(
  sql: postgres.Sql,
  journal: Journal,
  run: number,
  turn: number,
): Promise<void> {
  const thread = journal.runs.get(run)?.threadId ?? "";
  const open = await rowsIfReachable(sql`select id, status, input_json from countersign.approvals
    where thread_id = ${thread} and terms ->> 'undoes' is null and status in ('proposed', 'pending')`);
  for (const { id, status, input_json } of open) {
    const { ref } = JSON.parse(String(input_json)) as { ref: string };
    const call = journal.calls.get(ref);
    if (call?.run !== run || call.turn >= turn) continue;
    // Another attempt of the proposal counted, under the policy file that allows the call.
    if (status === "proposed" && tools[call.tool].gate === "changing") continue;
    journal.violate({
      name: "went-on-undecided",
      invariant: "I4",
      message: `Run ${run} asked its model again (turn ${turn}) while ${id} (${ref}) is ${status}`,
      approvalId: String(id),
      ref,
    });
  }
}
