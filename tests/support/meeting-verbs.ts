// The verbs about a request with two calls that may come at the same time, and the states in which they find it.

import { randomUUID } from "node:crypto";
import type { Approval, Principal } from "countersign";
import { approvalDigest } from "countersign/internal";
import { proposeCall } from "./proposals.js";
import type { Store } from "./store.js";

const minute = 60_000;
const hour = 60 * minute;

/** A request of a run that waits, with two calls. Most verbs are about the first. */
export interface Meeting {
  tenantId: string;
  requestId: string;
  runId: string;
  call: Approval;
  other: Approval;
}

/** What the first call and its run have come to. All but `proposed` are announced. */
export type State =
  | "proposed"
  | "pending"
  /** Two of three votes are missing. */
  | "voting"
  /** One of three votes is missing. */
  | "voted"
  | "held"
  | "approved"
  /** Approved, and its run knows. */
  | "settled"
  | "executing"
  | "interrupted";

export interface Verb {
  name: string;
  /** The states in which it does something. */
  in: readonly State[];
  /** The state to which it leads, if another verb may go on from there. */
  to?: State;
  /** Milliseconds by which its process is ahead in time. */
  ahead?: number;
  /** It needs the second call, which otherwise is denied already, so that the end of the first call wakes the run. */
  needsOther?: true;
  /** It passes over rows that somebody has locked, and promises to come again. */
  comesAgain?: true;
  /** Returns what its caller learns of it, without ids and times. */
  run(store: Store, meeting: Meeting, who: string): Promise<unknown>;
}

const answerOf = (result: { outcome: string; approval?: Approval; wakeUp?: object | undefined }) => ({
  outcome: result.outcome,
  status: result.approval?.status,
  wakes: result.wakeUp !== undefined,
});

const progressOf = (progress: { open: number; approvals: Approval[]; settled?: boolean }) => ({
  open: progress.open,
  settled: progress.settled,
  statuses: statusesOf(progress.approvals),
});

const statusesOf = (calls: readonly Approval[]) => calls.map(({ status }) => status);

const person = ({ tenantId }: { tenantId: string }, id: string): Principal => ({ id, tenantId, roles: [] });

type Decision = Parameters<Store["decide"]>[0];

export const decide = (
  store: Store,
  call: Approval,
  who: string,
  type: Decision["type"],
  more: Partial<Decision> = {},
) =>
  store.decide({
    ...{ approvalId: call.id, principal: person(call, who), type, digest: call.digest, reason: null },
    ...more,
  });

const deciding =
  (type: Decision["type"], more: (call: Approval) => Partial<Decision> = () => ({})): Verb["run"] =>
  async (store, { call }, who) =>
    answerOf(await decide(store, call, who, type, more(call)));

const decidingOther =
  (type: Decision["type"]): Verb["run"] =>
  async (store, { other }, who) =>
    answerOf(await decide(store, other, who, type));

const about = ({ call }: Meeting, who: string) => ({ approvalId: call.id, principal: person(call, who) });

const takingBackOf =
  (owner: string): Verb["run"] =>
  async (store, meeting) =>
    answerOf(await store.takeBack(about(meeting, owner)));

const settling =
  (round: number): Verb["run"] =>
  async (store, { requestId }) =>
    progressOf(await store.settle(requestId, round));

const resolving =
  (outcome: "done" | "rerun"): Verb["run"] =>
  async (store, meeting, who) =>
    answerOf(await store.resolve({ ...about(meeting, who), outcome, note: null }));

const finishing =
  (end: Parameters<Store["finish"]>[1]): Verb["run"] =>
  async (store, { call }) =>
    (await store.finish(call.id, end))?.status;

const edit = (call: Approval): Partial<Decision> => {
  const inputJson = '{"id":"A-1","amount":1}';
  return { edited: { inputJson, digest: approvalDigest({ ...call, inputJson }) } };
};

const grant: Decision["grant"] = {
  ...{ scope: "thread", inputHash: null, condition: null, authorSeesAll: false },
  ...{ lifetimeMs: hour, uses: 1, budget: null },
};

const sweeping: Pick<Verb, "comesAgain" | "run"> = {
  comesAgain: true,
  // What else it ends belongs to other meetings.
  run: async (store) => void (await store.sweep()),
};

const [holdMs, extendedMs, asideMs] = [10 * minute, 30 * minute, 20 * minute];
const undecided = ["pending", "voted", "voting"] as const;
/** Also of a decision that may be taken back meanwhile. */
const open = [...undecided, "held"] as const;
const waiting = [...open, "proposed"] as const;
const started = ["executing", "interrupted"] as const;

/** The sweeps come first: they also end what meetings before them have left. */
export const verbs: readonly Verb[] = [
  { name: "sweep of overdue calls", in: open, ahead: 40 * minute, ...sweeping },
  { name: "sweep of abandoned calls", in: ["executing", "settled"], ahead: 26 * hour, ...sweeping },
  { name: "approve", in: ["pending", "held"], to: "approved", run: deciding("approve") },
  { name: "deny", in: open, run: deciding("deny") },
  { name: "edit", in: open, to: "approved", run: deciding("edit", edit) },
  { name: "respond", in: open, run: deciding("respond", () => ({ responseJson: "{}" })) },
  { name: "vote", in: ["voting"], to: "voted", run: deciding("approve") },
  { name: "last vote", in: ["voted"], to: "approved", run: deciding("approve") },
  {
    name: "hold",
    in: ["pending", "voted", "held"],
    to: "held",
    run: deciding("approve", () => ({ holdMs })),
  },
  { name: "grant", in: ["pending", "held"], to: "approved", run: deciding("approve", () => ({ grant })) },
  { name: "take back", in: ["held"], to: "pending", run: takingBackOf("hal") },
  { name: "take back a vote", in: ["voting", "voted"], run: takingBackOf("vic") },
  {
    ...{ name: "assign", in: open },
    run: async (store, meeting, who) =>
      answerOf(await store.assign({ ...about(meeting, who), to: `friend of ${who}` })),
  },
  {
    ...{ name: "extend", in: open },
    run: async (store, meeting, who) =>
      answerOf(await store.extend({ ...about(meeting, who), byMs: extendedMs })),
  },
  {
    ...{ name: "put aside", in: undecided },
    run: async (store, meeting, who) => {
      const until = new Date(meeting.call.createdAt.getTime() + asideMs);
      return answerOf(await store.snooze({ ...about(meeting, who), until }));
    },
  },
  {
    ...{ name: "withdraw request", in: [...waiting, "approved", "settled", "executing"] },
    run: async (store, { requestId }) => progressOf(await store.withdrawRequest(requestId, "policy_changed")),
  },
  {
    ...{ name: "withdraw run", in: [...waiting, "approved", "settled", "executing"], to: "interrupted" },
    run: async (store, { runId }) => (await store.withdrawRun(runId, "run_failed")).length,
  },
  {
    ...{ name: "announce", in: ["proposed"], to: "pending" },
    run: async (store, { requestId }) => statusesOf(await store.announce(requestId)),
  },
  {
    ...{ name: "peek", in: [...waiting, "approved", "settled", ...started] },
    run: async (store, { requestId }) => progressOf(await store.peek(requestId, 1)),
  },
  { name: "settle", in: ["approved", ...waiting, ...started], to: "settled", run: settling(0) },
  { name: "expire", in: undecided, ahead: 31 * minute, run: settling(0) },
  { name: "end of a hold", in: ["held"], to: "approved", ahead: 11 * minute, run: settling(0) },
  {
    ...{ name: "claim", in: ["approved", "settled", "executing"], to: "executing" },
    run: async (store, { call }, who) =>
      answerOf(await store.claim(call.id, "idempotent", () => undefined, undefined, `run of ${who}`)),
  },
  { name: "finish", in: ["executing"], run: finishing({ status: "executed", outcomeJson: "{}" }) },
  { name: "interrupt", in: ["executing"], to: "interrupted", run: finishing({ status: "interrupted" }) },
  { name: "resolve", in: ["interrupted"], run: resolving("done") },
  { name: "resolve to run again", in: ["interrupted"], run: resolving("rerun") },
  {
    ...{ name: "approve the other", in: ["approved", "pending", "held", ...started] },
    ...{ needsOther: true, run: decidingOther("approve") },
  },
  {
    ...{ name: "deny the other", in: ["approved", ...open, ...started] },
    ...{ needsOther: true, run: decidingOther("deny") },
  },
];

/**
 * The state in which two verbs meet: one in which both do something, or from which one leads to the other. Where
 * neither exists, such as of a decision and the end of a call that runs, it is `undefined`: there is only one order.
 */
export function meetingState(one: Verb, another: Verb): State | undefined {
  const leads = ({ in: [state], to }: Verb, next: Verb) => (to && next.in.includes(to) ? state : undefined);
  return one.in.find((state) => another.in.includes(state)) ?? leads(one, another) ?? leads(another, one);
}

/** Brings a new request of the tenant into a state. */
export async function meetIn(
  state: State,
  { store, tenantId, needsOther }: { store: Store; tenantId: string; needsOther: boolean },
): Promise<Meeting> {
  const [call, other] = await proposeCall(store, {
    ...{ tenantId, calls: 2, announce: state !== "proposed" },
    // So that a grant covers no call of another meeting.
    threadId: randomUUID(),
    terms: {
      ...{ decisions: ["approve", "deny", "edit", "respond"], editable: ["*"] },
      ...{ quorum: state === "voting" || state === "voted" ? 3 : 1, extensions: 1, delegable: true },
      ...{ holdMs, grantable: ["thread"], idempotent: true },
    },
  });
  if (!call || !other || call.runId === null) throw new Error("unreachable");
  const { requestId, runId } = call;
  if (state === "proposed") return { tenantId, requestId, runId, call, other };
  if (!needsOther) await decide(store, other, "oli", "deny");
  if (state === "voting" || state === "voted") await decide(store, call, "vic", "approve");
  if (state === "voted") await decide(store, call, "vera", "approve");
  if (state === "held") await decide(store, call, "hal", "approve", { holdMs });
  if (["approved", "settled", "executing", "interrupted"].includes(state)) {
    await decide(store, call, "fin", "approve");
  }
  if (state === "settled") await store.settle(requestId, 0);
  if (state === "executing" || state === "interrupted") {
    await store.claim(call.id, "idempotent", () => undefined);
  }
  if (state === "interrupted") await store.finish(call.id, { status: "interrupted" });
  return { tenantId, requestId, runId, call, other };
}
