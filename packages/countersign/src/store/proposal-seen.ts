import { type CallRow, callFrom, grantFrom, type SeenGrant } from "./call-seen.js";
import type { Asked, ProposalFacts, Waiting } from "./proposal-asked.js";
import type { JsonRow } from "./rows/row-from-json.js";
import { storableJson } from "./rows/storable-json.js";
import type { Reading } from "./verb.js";

/** All that is judged of a proposal. */
export interface ProposalSeen {
  /** The database's time when it was read; `undefined` if nothing was read. */
  now: Date | undefined;
  facts: ProposalFacts;
  waiting: Waiting;
  /** The rows of a request that exists. */
  calls: readonly CallRow[];
  grants: readonly CoveringGrant[];
  /** What the counters of `Asked.counts` amounted to. */
  counted: readonly number[];
  undone: readonly UndoneByProposal[];
}

/** A grant that may cover a new call. */
export interface CoveringGrant extends Omit<SeenGrant, "spent"> {
  /** What its calls have spent, or are about to spend, as exact decimal text; `null` if its row has no budget. */
  used: string | null;
  /** How often it has approved a call by the log; `null` if its row has unlimited uses, or the log is not asked. */
  loggedUses: number | null;
}

/** A call to undo, and the call that undoes it already, or was to. */
export interface UndoneByProposal {
  row: CallRow;
  version: string;
  undo: CallRow | null;
}

/** What the function `read_proposal` of the database returns; what is empty is `null` or missing. */
interface JsonProposal {
  now: number;
  facts: ProposalFacts;
  waiting?: Waiting | null;
  calls?: JsonRow[] | null;
  grants?:
    | { row: JsonRow; used: string | null; loggedUses: number | null; entries: string[] | null }[]
    | null;
  counted?: string[] | null;
  undone?: { row: JsonRow; version: string; undo: JsonRow | null }[] | null;
}

/** What a proposal is judged by if nothing is there that would matter, which the database compares. */
export function nothingSeen({ calls }: Asked): ProposalSeen {
  return {
    now: undefined,
    facts: {
      ...{ exists: false, end: null, isAllowed: false, isDiscouraged: false },
      twins: calls.map(() => null),
      grants: calls.map(() => []),
    },
    waiting: { tenant: 0, run: 0, thread: 0, requester: 0 },
    ...{ calls: [], grants: [], counted: [], undone: [] },
  };
}

export function proposalReading(asked: Asked): Reading<ProposalSeen> {
  return {
    kind: "proposal",
    id: storableJson(asked),
    parse: (json) => proposalSeen(asked, json as JsonProposal),
  };
}

function proposalSeen(asked: Asked, { now, facts, ...json }: JsonProposal): ProposalSeen {
  const nothing = nothingSeen(asked);
  return {
    now: new Date(now),
    facts,
    waiting: json.waiting ?? nothing.waiting,
    calls: (json.calls ?? []).map(callFrom),
    grants: (json.grants ?? []).map(({ row, entries, ...grant }) => ({
      ...grant,
      row: grantFrom(row),
      entries: entries ?? [],
    })),
    counted: (json.counted ?? []).map(Number),
    undone: (json.undone ?? []).map(({ row, version, undo }) => ({
      row: callFrom(row),
      version,
      undo: undo && callFrom(undo),
    })),
  };
}
