import type { Evidence } from "../evidence/check-evidence.js";
import type { Stop } from "../stops/stop.js";
import type { TrailEntry } from "./evidence/trail.js";
import { type JsonRow, rowsFromJson } from "./rows/row-from-json.js";
import { approvals, evidence, grants, stops, votes } from "./schema.js";
import type { Reading } from "./verb.js";

export type CallRow = typeof approvals.$inferSelect;

export type GrantRow = typeof grants.$inferSelect;

export type VoteRow = typeof votes.$inferSelect;

/** All that is judged of one call, as of one moment. */
export interface CallSeen {
  row: CallRow;
  version: string;
  /** The database's time when it was read. */
  now: Date;
  /** When the run of the call found that no call of its request was open. */
  settledAt: Date | null;
  /** The evidence of its decision. */
  proof: { row: Evidence; version: string } | undefined;
  trail: readonly TrailEntry[];
  /** The votes that count, in the order in which they were cast. */
  votes: readonly VoteRow[];
  /** The engaged stops of its tenant, and of all. */
  stops: readonly Stop[];
  grant: SeenGrant | undefined;
  /** The call that it undoes. */
  undone: SeenUndone | undefined;
}

/** The grant that approved a call. */
export interface SeenGrant {
  row: GrantRow;
  /** What its calls have spent, as exact decimal text. */
  spent: string;
  /** The types of the log's entries about it. */
  entries: readonly string[];
}

/** A call, and all undos of it that have started by the log. */
export interface SeenUndone {
  row: CallRow;
  version: string;
  trail: readonly TrailEntry[];
  undos: readonly CallRow[];
}

/** What the function `read_call` of the database returns. */
interface JsonCall {
  row: JsonRow;
  version: string;
  now: number;
  settledAt: string | null;
  proof: { row: JsonRow; version: string } | null;
  trail: TrailEntry[];
  /** `null`, as below, if there are none. */
  votes: JsonRow[] | null;
  stops: JsonRow[] | null;
  grant: { row: JsonRow; spent: string; entries: string[] | null } | null;
  undone: { row: JsonRow; version: string; trail: TrailEntry[]; undos: JsonRow[] | null } | null;
}

export const callFrom = rowsFromJson(approvals);
const proofFrom = rowsFromJson(evidence);
export const voteFrom = rowsFromJson(votes);
export const stopFrom = rowsFromJson(stops);
export const grantFrom = rowsFromJson(grants);

/** Reads a call for its start or its end; `undefined` if there is none. */
export function callReading(approvalId: string): Reading<CallSeen | undefined> {
  return {
    kind: "call",
    id: approvalId,
    parse: (json) => (json === null ? undefined : callSeen(json as JsonCall)),
  };
}

function callSeen({ row, settledAt, now, proof, grant, undone, votes, stops, ...rest }: JsonCall): CallSeen {
  return {
    ...rest,
    row: callFrom(row),
    now: new Date(now),
    settledAt: settledAt === null ? null : new Date(settledAt),
    proof: proof ? { ...proof, row: proofFrom(proof.row) } : undefined,
    votes: (votes ?? []).map(voteFrom),
    stops: (stops ?? []).map(stopFrom),
    grant: grant ? { ...grant, row: grantFrom(grant.row), entries: grant.entries ?? [] } : undefined,
    undone: undone
      ? { ...undone, row: callFrom(undone.row), undos: (undone.undos ?? []).map(callFrom) }
      : undefined,
  };
}
