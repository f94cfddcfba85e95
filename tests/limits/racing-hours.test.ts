import { counterOf, countNamed } from "@countersign/policy/internal/policy/counts";
import { CountersignError, createCountersign } from "countersign";
import { Inngest } from "inngest";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { limitedCalls } from "../support/limited-calls.js";
import { policyOf } from "../support/policy-of.js";
import { checkHours, sumUpAllHours } from "../support/postgres/counted-hours.js";
import { untilWaitingForLock } from "../support/postgres/server-connections.js";
import { stopClock } from "../support/postgres/stopped-clock.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, retentionVerbs, type Store } from "../support/store.js";

const lead = { id: "lead", tenantId: "acme", roles: ["lead"] };
const minute = 60_000;
const hour = 60 * minute;
const beginning = Date.parse("2030-01-01T00:00:00Z");
const day = { counter: "spent", windowMs: 24 * hour };

/** Some stores on one database, whose clock stands still, and which sums up every hour. */
async function openWorld(count: number) {
  const database = await freshPostgres();
  const setClock = await stopClock(database.admin);
  await sumUpAllHours(database.admin);
  const clients = Array.from({ length: count }, () =>
    postgres(database.url, { max: 6, onnotice: () => {}, fetch_types: false }),
  );
  const stores = clients.map((client) => postgresStore({ client }));
  return {
    ...{ admin: database.admin, stores, store: stores[0] as Store },
    /** Runs statements of somebody else, as one who sees all tenants. */
    inTransaction: (work: (tx: postgres.TransactionSql) => Promise<unknown>) =>
      database.postgres.begin(async (tx) => {
        await tx`select set_config('countersign.all_tenants', 'on', true)`;
        await work(tx);
      }),
    setTime: (ms: number) => setClock(new Date(beginning + ms)),
    /** The sum that the calls of a counter themselves have now. */
    summedUp: async (counter: string, windowMs: number) => {
      const [found] = await database.admin`
        select coalesce(sum(amount), 0)::float8 as amount from countersign.counted_calls
        where tenant_id = 'acme' and counter = ${counter} and counts
          and at > clock_timestamp() - ${windowMs}::float8 * interval '1 millisecond'`;
      return found?.amount;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.end({ timeout: 1 })));
      await database[Symbol.asyncDispose]();
    },
  };
}

type World = Awaited<ReturnType<typeof openWorld>>;

const counted = { countedAs: [{ counter: day.counter, amount: 10 }] };

/** A proposal that counts, so that the hours that are over are summed up. */
const counting = (store: Store, runId = "counting") =>
  proposeCall(store, { runId, verdict: "notify", ...counted, counts: { queries: [day], stand: () => true } });

/** What changes the calls of an hour that is over. */
const changes: Record<string, { by(tx: postgres.TransactionSql): Promise<unknown>; leaves: number }> = {
  "a denial": {
    by: (tx) => tx`update countersign.approvals set status = 'denied' where status = 'pending'`,
    leaves: 0,
  },
  "a deletion": {
    by: (tx) => tx`delete from countersign.approvals where status = 'pending'`,
    leaves: 0,
  },
  "another amount": {
    by: (tx) => tx`update countersign.counted_calls set amount = 7 where amount = 10`,
    leaves: 7,
  },
  "another time": {
    by: (tx) => tx`update countersign.counted_calls set at = at - interval '31 days' where amount = 10`,
    leaves: 0,
  },
  "a call that is added": {
    by: (tx) => tx`insert into countersign.counted_calls (approval_id, counter, tenant_id, at, amount)
      select id, 'spent', tenant_id, created_at, 5 from countersign.approvals where call_hash <> '' and status = 'withdrawn'`,
    leaves: 15,
  },
};

/** At 00:30, a call waits and another one, which counts nothing, was withdrawn. It is 01:10 now. */
async function openWaiting(): Promise<World> {
  const world = await openWorld(1);
  const { store, setTime } = world;
  await setTime(30 * minute);
  await proposeCall(store, { ...counted, timeoutMs: 48 * hour });
  const [withdrawn] = await proposeCall(store, { timeoutMs: 48 * hour });
  await store.withdrawRequest(withdrawn?.requestId ?? "", "superseded");
  await setTime(70 * minute);
  return world;
}

describe("an hour that is summed up", () => {
  it.each(Object.entries(changes))(
    "does not stand after %s that commits later",
    async (_, { by, leaves }) => {
      await using world = await openWaiting();
      const { admin, store, inTransaction } = world;
      await inTransaction(async (tx) => {
        await by(tx);
        await counting(store);
        expect(await checkHours(admin)).toEqual({ stand: 1, wrong: [] });
        expect(await store.readCounts("acme", [day])).toEqual([20]);
      });
      expect(await checkHours(admin)).toEqual({ stand: 0, wrong: [] });
      expect(await store.readCounts("acme", [day])).toEqual([10 + leaves]);
      await counting(store, "again");
      expect(await checkHours(admin)).toMatchObject({ wrong: [] });
      expect(await store.readCounts("acme", [day])).toEqual([20 + leaves]);
    },
  );

  it("does not stand after a call that somebody adds in that hour, and commits when it is over", async () => {
    await using world = await openWaiting();
    const { admin, store, inTransaction, setTime } = world;
    await counting(store, "before");
    await inTransaction(async (tx) => {
      await changes["a call that is added"]?.by(tx);
      await tx`update countersign.counted_calls set at = clock_timestamp() where amount = 5`;
      await setTime(125 * minute);
      await counting(store);
      expect(await checkHours(admin)).toEqual({ stand: 2, wrong: [] });
    });
    expect(await checkHours(admin)).toEqual({ stand: 0, wrong: [] });
    expect(await store.readCounts("acme", [day])).toEqual([35]);
  });

  it.each(Object.entries(changes))(
    "does not stand after %s that commits before the proposal does",
    async (_, { by, leaves }) => {
      await using world = await openWaiting();
      const { admin, store, inTransaction } = world;
      let proposing: Promise<unknown> | undefined;
      await inTransaction(async (tx) => {
        // Whoever records the end of a run lets its proposals wait, when they have counted.
        await tx`select pg_advisory_xact_lock(hashtextextended('countersign:run:ended', 0))`;
        proposing = counting(store, "ended");
        await untilWaitingForLock(admin, 1);
        await inTransaction(by);
      });
      await proposing;
      expect(await checkHours(admin)).toEqual({ stand: 0, wrong: [] });
      expect(await store.readCounts("acme", [day])).toEqual([10 + leaves]);
    },
  );
});

const policy = policyOf([
  {
    ...{ tools: "refund", when: "input.asked", verdict: "ask", approvers: { roles: ["lead"] } },
    ...{ decisions: ["approve", "edit", "deny"], editable: ["amount"] },
  },
  { tools: "refund", verdict: "notify" },
  { tools: "refund", when: 'spent("refund", "amount", "31d", "tenant") > 1000000', verdict: "deny" },
  { tools: "refund", when: 'spent("refund", "amount", "6h") > 1000000', verdict: "deny" },
]);
const count = (per: "tenant" | "requester") => countNamed("spent", ["refund", "amount", "31d", per]);
const counterFor = (per: "tenant" | "requester", requesterId: string) =>
  counterOf(count(per), { input: {}, requesterId, threadId: null }) ?? "";

/** Numbers that are the same in each run. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

it("the sums of hours are what their calls amount to, at each moment, whoever changes calls at once", async () => {
  await using world = await openWorld(3);
  const { admin, stores, store, setTime, summedUp } = world;
  const inngest = new Inngest({
    id: "hours",
    isDev: true,
    fetch: async () => Response.json({ ids: [], status: 200 }),
  });
  const desks = stores.map((own) => ({
    ...{ store: own, propose: limitedCalls(own, policy) },
    countersign: createCountersign({ inngest, store: own, policy }),
  }));
  const deskOf = (index: number) => desks[index % desks.length] as (typeof desks)[number];
  const next = numbers(4);
  const people = ["rita", "finn", "eve"];
  const seen = { stood: 0, checks: 0, removed: 0, edited: 0 };
  const waiting: string[] = [];
  let made = 0;
  let isOver = false;
  const checking = async () => {
    while (!isOver) {
      const { stand, wrong } = await checkHours(admin);
      expect(wrong).toEqual([]);
      seen.stood += stand;
      seen.checks += 1;
    }
  };
  const propose = async (index: number) => {
    const id = String(made++);
    const asked = next(2) === 0;
    const input = { id, amount: 1 + next(50) / 10, asked };
    const timeoutMs = next(3) === 0 ? 2 * hour : 100 * hour;
    await deskOf(index).propose({
      ...{ id, requesterId: people[next(people.length)] ?? null, timeoutMs, calls: [{ input }] },
    });
    await deskOf(index).store.announce(`req_${id}`);
    if (asked) waiting.push(id);
  };
  const end = async (id: string, index: number) => {
    const way = next(4);
    if (way === 3) return void (await deskOf(index).store.withdrawRun(`run_${id}`, "run_failed"));
    const approval = await store.getApproval("acme", `apr_${id}_0`);
    if (!approval) return;
    const decision = { approvalId: approval.id, principal: lead, digest: approval.digest, reason: null };
    const edits = { type: "edit" as const, input: { ...JSON.parse(approval.inputJson), amount: 9 } };
    const type = way === 0 ? ("deny" as const) : ("approve" as const);
    const { countersign } = deskOf(index);
    try {
      await countersign.decide({ ...decision, ...(way === 1 ? edits : { type }) });
      if (way === 1) seen.edited += 1;
      // What waits to be settled is not over.
      await store.settle(`req_${id}`, 0);
    } catch (error) {
      // It has expired, or was forgotten.
      if (!CountersignError.isInstance(error)) throw error;
    }
  };
  const forget = async (personId: string, now: number) => {
    const before = new Date(beginning + now + minute);
    const batch = {
      tenantId: "acme",
      kind: "requests" as const,
      before,
      personId,
      limit: 500,
      dryRun: false,
    };
    const { removed } = await retentionVerbs(store).pruneBatch({ ...batch, after: undefined, by: null });
    seen.removed += removed.counted_calls ?? 0;
  };
  const round = async (now: number) => {
    await setTime(now);
    const ending = waiting.splice(0, Math.floor(waiting.length / 2));
    await Promise.all([
      ...Array.from({ length: 6 }, (_, index) => propose(index)),
      ...ending.map(end),
      deskOf(next(3)).store.sweep(),
      next(2) === 0 && forget("eve", now),
    ]);
    for (const per of ["tenant", "requester"] as const) {
      for (const windowMs of [6 * hour, 31 * 24 * hour]) {
        const counter = counterFor(per, "rita");
        expect(await store.readCounts("acme", [{ counter, windowMs }])).toEqual([
          await summedUp(counter, windowMs),
        ]);
      }
    }
  };
  const rounds = async () => {
    try {
      const isMissing = () => Object.values(seen).includes(0);
      for (let place = 1; place <= 18 || (isMissing() && place <= 90); place++) {
        await round(place * 25 * minute);
      }
    } finally {
      isOver = true;
    }
  };
  await Promise.all([checking(), rounds()]);
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
});
