import type { Approval } from "../approval/approval.js";
import type { Stop } from "../stops/stop.js";
import type { GrantRow, VoteRow } from "./call-seen.js";
import { grantFrom, stopFrom, voteFrom } from "./call-seen.js";

import { type CallDraft, draftFrom, type JsonRequest, type RequestDraft } from "./request-seen.js";
import { approvalFromRow } from "./rows/approval-row.js";
import { voteOf } from "./rows/read-approval.js";
import { type JsonRow, rowsFromJson } from "./rows/row-from-json.js";
import { snoozes, viewers } from "./schema.js";
import type { Reading } from "./verb.js";

/** All that is judged of a decision about one call. */
export interface DecisionSeen {
  request: RequestDraft;
  /** The call of the request that it is about. */
  call: CallDraft;
  /** The votes that count, in the order in which they were cast. */
  votes: readonly VoteRow[];
  viewers: Approval["viewers"];
  snoozes: Approval["snoozes"];
  /** The engaged stops of its tenant, and of all. */
  stops: readonly Stop[];
  /** What decisions about it gave, if it is decided. */
  grants: readonly GrantRow[];
  /** How many grants of its tenant are live; `undefined` if they were not counted. */
  liveGrants: number | undefined;
}

/** What the function `read_decision` of the database returns; lists are `null` if they are empty. */
interface JsonDecision {
  request: JsonRequest;
  votes: JsonRow[] | null;
  viewers: JsonRow[] | null;
  snoozes: JsonRow[] | null;
  stops: JsonRow[] | null;
  grants: JsonRow[] | null;
  liveGrants: number | null;
}

const viewerFrom = rowsFromJson(viewers);
const snoozeFrom = rowsFromJson(snoozes);

/** Reads what a decision is judged by; `undefined` if there is no such call. */
export function decisionReading(
  approvalId: string,
  { countsGrants }: { countsGrants: boolean },
): Reading<DecisionSeen | undefined> {
  return {
    kind: countsGrants ? "granting" : "decision",
    id: approvalId,
    parse: (json) => (json === null ? undefined : decisionSeen(approvalId, json as JsonDecision)),
  };
}

function decisionSeen(approvalId: string, json: JsonDecision): DecisionSeen | undefined {
  const request = draftFrom(json.request);
  const call = request.calls.find(({ row }) => row.id === approvalId);
  if (!call) return undefined;
  return {
    request,
    call,
    votes: (json.votes ?? []).map(voteFrom),
    viewers: (json.viewers ?? [])
      .map(viewerFrom)
      .map(({ principalId, displayName, until }) => ({ principalId, displayName, until })),
    snoozes: (json.snoozes ?? []).map(snoozeFrom).map(({ principalId, until }) => ({ principalId, until })),
    stops: (json.stops ?? []).map(stopFrom),
    grants: (json.grants ?? []).map(grantFrom),
    liveGrants: json.liveGrants ?? undefined,
  };
}

/** The call as people see it, with what was changed of it so far. */
export function shownCall(
  { call, viewers, snoozes, votes }: DecisionSeen,
  counting: readonly VoteRow[] = votes,
): Approval {
  const isPending = call.row.status === "pending";
  return approvalFromRow(call.row, {
    votes: counting.map(voteOf),
    ...(isPending && { viewers, snoozes }),
  });
}
