import type { CallRow } from "../store/call-seen.js";
import type { Changes } from "../store/changes.js";
import type { TrailEntry } from "../store/evidence/trail.js";
import { type RequestDraft, requestReading } from "../store/request-seen.js";
import type { requests } from "../store/schema.js";
import type { Judge, Judgement } from "../store/verb.js";
import { someApproval } from "./some-approval.js";
import { jsonRow, readAt, readPlus, rowOf } from "./some-call-seen.js";

type RequestRow = typeof requests.$inferSelect;

/** What is special about a call, and what the log says of it. */
export type SomeCall = Partial<CallRow> & { trail?: readonly TrailEntry[] };

/** The row of a pending call, with some columns replaced. */
export function someCallRow({ trail: _, ...parts }: SomeCall = {}): CallRow {
  return { ...rowOf(someApproval({ notify: ["slack:#finance"] })), ...parts };
}

/** A request for whose calls a run waits, with some columns replaced. */
export function someRequestRow(parts: Partial<RequestRow> = {}): RequestRow {
  return {
    ...{ id: "req_1", tenantId: "acme", threadId: null, runId: "run_1", appId: "app", instanceId: null },
    ...{ modelText: null, createdAt: readPlus(-360_000), rounds: 1, settledAt: null },
    ...{ probedRound: null, parentRunId: null },
    ...parts,
  };
}

/** What `read_request` returns: the request has the version 600, and its calls are `apr_1` with 701, `apr_2` with 702. */
export function someRequestJson(calls: readonly SomeCall[], request: Partial<RequestRow> = {}): object {
  return {
    ...{ row: jsonRow(someRequestRow(request)), version: "600", now: readAt.getTime() },
    calls: calls.map((call, position) => ({
      row: jsonRow(someCallRow({ id: `apr_${position + 1}`, position, ...call })),
      ...{ version: `${701 + position}`, trail: call.trail ?? null },
    })),
  };
}

/** The same as a verb judges it. */
export function someRequest(...given: Parameters<typeof someRequestJson>): RequestDraft {
  const request = requestReading("req_1").parse(someRequestJson(...given));
  if (!request) throw new Error("there is no request");
  return request;
}

/** What a verb answers, and what it would write. @param json What it reads; `null` if there is no request. */
export async function judged<T>(
  json: object | null,
  verb: (judging: Judge) => Promise<T>,
): Promise<Judgement<T>> {
  let written: Changes | undefined;
  const result = await verb(async (reading, judge) => {
    const judgement = await judge(reading.parse(json));
    written = judgement.changes;
    return judgement.result;
  });
  return { result, changes: written };
}
