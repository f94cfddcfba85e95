import { CountersignError } from "countersign";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { statesTold, wholeLog } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import {
  decide,
  type Meeting,
  meetIn,
  meetingState,
  type State,
  type Verb,
  verbs,
} from "../support/meeting-verbs.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

/** One of two processes. Each groups its own verbs, so those of two only meet in the database. */
interface Process {
  who: string;
  store: Store;
  client: postgres.Sql;
  /** Milliseconds by which it is ahead in time. */
  ahead: number;
  onSent(statement: string): void;
}

type Side = 0 | 1;
type Order = readonly [first: Side, second: Side];
const sides = [0, 1] as const;
const orders: readonly Order[] = [
  [0, 1],
  [1, 0],
];

let database: Awaited<ReturnType<typeof freshPostgres>>;
let processes: readonly [Process, Process];

beforeAll(async () => {
  database = await freshPostgres(1);
  processes = [openProcess("ann"), openProcess("bea")];
});

afterAll(async () => {
  await closeProcesses();
  await database[Symbol.asyncDispose]();
});

function openProcess(who: string): Process {
  const client = postgres(database.url, {
    ...{ max: 4, fetch_types: false, onnotice: () => {} },
    debug: (_, text) => opened.onSent(text),
  });
  const store = postgresStore({ client, clockOffset: () => opened.ahead });
  const opened: Process = { who, store, client, ahead: 0, onSent: () => {} };
  return opened;
}

async function closeProcesses() {
  await Promise.all(processes.map(({ store }) => store.close()));
  await Promise.all(processes.map(({ client }) => client.end({ timeout: 1 })));
}

/** Two verbs that meet, of the first and of the second process. */
type Pair = readonly [Verb, Verb];

/** Starts the verb of one side, and returns what its caller learns. */
async function act(pair: Pair, side: Side, meeting: Meeting): Promise<unknown> {
  const { store, who } = processes[side];
  try {
    return await pair[side].run(store, meeting, who);
  } catch (error) {
    if (!CountersignError.isInstance(error)) throw error;
    expect(error).not.toMatchObject({ code: "database_failed" });
    return { code: error.code };
  }
}

/** Runs both verbs in some way. */
type Way = (start: (side: Side) => Promise<unknown>, meeting: Meeting) => Promise<unknown>;

const inTurn =
  ([first, second]: Order): Way =>
  async (start) => {
    await start(first);
    await start(second);
  };

/** Until a process has sent such a statement. */
const sentBy = (side: Side, statement: RegExp) =>
  new Promise<void>((resolve) => {
    processes[side].onSent = (text) => {
      if (statement.test(text)) resolve();
    };
  });

const atOnce: Way = (start) => Promise.all(sides.map(start));

/** The second starts when the first has sent its first statement. */
const behind =
  ([first, second]: Order): Way =>
  async (start) => {
    const sent = sentBy(first, /./);
    const begun = start(first);
    await Promise.race([sent, begun]);
    await Promise.all([begun, start(second)]);
  };

/** With these, a verb writes what it has judged, or waits for the lock behind which it judges. */
const writing = /apply_changes|append_to_audit_log|for update|^update /;

/** Both judge before either can commit: somebody holds the log. */
const beforeEither =
  ([first, second]: Order): Way =>
  async (start, { tenantId }) => {
    const started: Promise<unknown>[] = [];
    await database.admin.begin(async (tx) => {
      await tx`select from countersign.audit_heads where tenant_id = ${tenantId} for update`;
      for (const side of [first, second]) {
        const sent = sentBy(side, writing);
        const begun = start(side);
        started.push(begun);
        // Whoever writes nothing is answered.
        await Promise.race([sent, begun]);
      }
    });
    await Promise.all(started);
  };

const loose: readonly Way[] = [atOnce, ...orders.map(behind)];

/** First each order, and then what must come to the same as one of them; one of the loose ways for each pair in turn. */
const waysOf = (index: number): readonly Way[] => [
  ...orders.map(inTurn),
  ...orders.map(beforeEither),
  loose[index % loose.length] ?? atOnce,
];

interface Result {
  told: unknown[];
  woken: boolean;
  waits: boolean;
  calls: { status: string; log: string[] }[];
}

/** What is left of each meeting, without ids and times. */
async function leftOf(meetings: readonly Meeting[]): Promise<Omit<Result, "told">[]> {
  const ids = meetings.map(({ requestId }) => requestId);
  const rows = await database.admin<{ id: string; left: Omit<Result, "told"> }[]>`
    select id, json_build_object(
      'waits', settled_at is null and rounds > 0, 'settled', settled_at is not null, 'rounds', rounds,
      'woken', exists (select from countersign.outbox queued where queued.request_id = request.id),
      'calls', (select json_agg(json_build_object(
        'status', status, 'decision', decision_type, 'by', decided_by, 'roles', decided_roles,
        'edited', edited_input_json, 'response', response_json, 'held', held ->> 'type', 'heldBy', held ->> 'decidedBy',
        'openFor', extract(epoch from expires_at - announced_at), 'extensions', extensions_used,
        'assignee', assignee_id, 'assignedBy', assigned_by, 'cause', withdrawal_cause, 'kind', handler_kind,
        'startedBy', started_by, 'outcome', outcome_json, 'resolution', resolution_outcome, 'resolvedBy', resolved_by,
        'votes', (select json_agg(concat_ws(' ', principal_id, type, case when taken_back_at is not null then 'no more' end)
          order by principal_id) from countersign.votes vote where vote.approval_id = call.id),
        'aside', (select json_agg(principal_id order by principal_id) from countersign.snoozes snooze
          where snooze.approval_id = call.id and snooze.until > now()),
        'grants', (select count(*) from countersign.grants given
          where given.tenant_id = call.tenant_id and given.approval_id = call.id),
        'log', (select json_agg(concat_ws(' ', type, actor_id) order by position) from countersign.audit_entries entry
          where entry.tenant_id = call.tenant_id and entry.approval_id = call.id and type not like '%.refused'),
        -- They are counted after the verb.
        'refused', (select json_agg(concat_ws(' ', type, actor_id) order by type, actor_id)
          from countersign.audit_entries entry
          where entry.tenant_id = call.tenant_id and entry.approval_id = call.id and type like '%.refused')
      ) order by position) from countersign.approvals call where call.request_id = request.id)
    ) as left from countersign.requests request where id = any(${ids})`;
  const byId = new Map(rows.map(({ id, left }) => [id, left]));
  return ids.map((id) => {
    const left = byId.get(id);
    if (!left) throw new Error("unreachable");
    return left;
  });
}

/** Once at most: a decision that takes effect, a start, and an end. */
const once = [
  /^approval\.(approved|edited|denied|responded)\b/,
  /^approval\.executing\b/,
  /^approval\.(executed|failed|interrupted|expired|withdrawn)\b/,
];

function checkResult({ woken, waits, calls }: Result): void {
  for (const { log } of calls) {
    for (const type of once) expect(log.filter((entry) => type.test(entry)).length).toBeLessThan(2);
  }
  const isOpen = calls.some(({ status }) => status === "proposed" || status === "pending");
  if (waits && !isOpen) expect(woken, "somebody wakes the run").toBe(true);
}

/** The log of a tenant is whole, and says of each call what its row says. */
async function checkLog(tenantId: string, { inOneTime }: { inOneTime: boolean }): Promise<void> {
  const { store } = processes[0];
  const log = await wholeLog(store, tenantId);
  expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true, entries: log.length });
  expect(log.map(({ position }) => position)).toEqual(log.map((_, index) => index + 1));
  const times = log.map(({ at }) => at.getTime());
  if (inOneTime) expect(times).toEqual(times.toSorted((one, another) => one - another));
  const rows =
    await database.admin`select id, status from countersign.approvals where tenant_id = ${tenantId}`;
  const told = [...statesTold(log)].map(([id, states]) => ({ id, status: states.at(-1) }));
  expect(new Set(told)).toEqual(new Set(rows));
}

const pairs = verbs.flatMap((one, index) =>
  verbs.slice(index).flatMap((another) => {
    const state = meetingState(one, another);
    return state ? [{ pair: [one, another] as const, state }] : [];
  }),
);

/** What comes of a meeting of these verbs in each way. All meetings are arranged first, which takes few statements. */
async function resultsOf(
  pair: Pair,
  state: State,
  tenantId: string,
  ways: readonly Way[],
): Promise<Result[]> {
  const { store } = processes[0];
  const needsOther = pair.some((verb) => verb.needsOther);
  const meetings = await Promise.all(ways.map(() => meetIn(state, { store, tenantId, needsOther })));
  for (const side of sides) processes[side].ahead = pair[side].ahead ?? 0;
  const told: unknown[][] = [];
  for (const [index, way] of ways.entries()) {
    const meeting = meetings[index];
    if (!meeting) throw new Error("unreachable");
    const answers: unknown[] = [];
    await way(async (side) => {
      answers[side] = await act(pair, side, meeting);
    }, meeting);
    for (const side of sides) {
      processes[side].onSent = () => {};
      if (pair[side].comesAgain) await act(pair, side, meeting);
    }
    told.push(answers);
  }
  for (const side of sides) processes[side].ahead = 0;
  const left = await leftOf(meetings);
  return left.map((each, index) => ({ told: told[index] ?? [], ...each }));
}

it.each(
  pairs.map((each, index) => ({
    ...each,
    ways: waysOf(index),
    name: each.pair.map(({ name }) => name).join(" against "),
  })),
)("$name", async ({ name: tenantId, pair, state, ways }) => {
  const results: Result[] = [];
  // A sweep would also end the calls of meetings that have not begun.
  const batches = pair.some(({ comesAgain }) => comesAgain) ? ways.map((way) => [way]) : [ways];
  for (const batch of batches) results.push(...(await resultsOf(pair, state, tenantId, batch)));
  const inOrder = results.slice(0, orders.length);
  for (const result of results) {
    checkResult(result);
    expect(inOrder).toContainEqual(result);
  }
  await checkLog(tenantId, { inOneTime: !pair.some(({ ahead }) => ahead) });
});

it("fifty decisions about the calls of one request are all recorded, and wake its run once", async () => {
  const tenantId = "fifty decisions";
  const calls = await proposeCall(processes[0].store, { tenantId, calls: 50 });
  const decided = await Promise.all(
    calls.map((call, index) =>
      decide(processes[index % 2 === 0 ? 0 : 1].store, call, `person ${index}`, "approve"),
    ),
  );
  expect(decided.map(({ outcome }) => outcome)).toEqual(calls.map(() => "decided"));
  const woken = decided.filter((result) => "wakeUp" in result && result.wakeUp !== undefined);
  expect(woken).toHaveLength(1);
  const queued = await database.admin`select from countersign.outbox where tenant_id = ${tenantId}`;
  expect(queued).toHaveLength(1);
  const log = await wholeLog(processes[0].store, tenantId);
  const approved = log.flatMap(({ type, approvalId }) => (type === "approval.approved" ? [approvalId] : []));
  expect(approved.toSorted()).toEqual(calls.map(({ id }) => id).toSorted());
  await checkLog(tenantId, { inOneTime: true });
});

it("thirty people who vote at once approve a call that needs thirty", async () => {
  const tenantId = "thirty votes";
  const [call] = await proposeCall(processes[0].store, { tenantId, terms: { quorum: 30 } });
  if (!call) throw new Error("unreachable");
  const people = Array.from({ length: 30 }, (_, index) => `person ${index}`);
  const voted = await Promise.all(
    people.map((who, index) => decide(processes[index % 2 === 0 ? 0 : 1].store, call, who, "approve")),
  );
  const outcomes = voted.map(({ outcome }) => outcome);
  expect(outcomes.toSorted()).toEqual(["decided", ...people.slice(1).map(() => "voted")]);
  const stored = await processes[0].store.getApproval(tenantId, call.id);
  expect(stored).toMatchObject({ status: "approved" });
  expect(stored?.votes.map(({ principalId }) => principalId).toSorted()).toEqual(people.toSorted());
  await checkLog(tenantId, { inOneTime: true });
});

it("no two of them have waited for each other", async () => {
  await closeProcesses();
  const [counted] =
    await database.admin`select deadlocks from pg_stat_database where datname = current_database()`;
  expect(counted).toEqual({ deadlocks: "0" });
});
