import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { type LimitedResponse, limitedCalls } from "../support/limited-calls.js";
import { policyOf } from "../support/policy-of.js";
import { postgresStore, type Store } from "../support/store.js";

const lead = { id: "lead", tenantId: "acme", roles: ["lead"] };
const asked = { verdict: "ask", approvers: { roles: ["lead"] } };
const dayLimit = 500;

const ofOneRequester = policyOf([
  { tools: "refund", when: `spent("refund", "amount", "24h") > ${dayLimit}`, ...asked },
]);

/** Several instances on one database, each with connections of its own, and a count of the proposals that others overtook. */
async function openInstances(policy: ReturnType<typeof policyOf>, count = 4) {
  const database = await freshPostgres();
  const clients = Array.from({ length: count }, () =>
    postgres(database.url, { max: 6, onnotice: () => {}, fetch_types: false }),
  );
  const time = { offset: 0 };
  const seen = { overtaken: 0 };
  const stores = clients.map((client) => postgresStore({ client, clockOffset: () => time.offset }));
  const instances = stores.map((store) =>
    limitedCalls(
      interceptedStore(store, {
        propose: (carryOut, ...args) =>
          carryOut(...args).catch((error: unknown) => {
            if (error instanceof Error && error.name === "CountsChanged") seen.overtaken += 1;
            throw error;
          }),
      }),
      policy,
    ),
  );
  const [store] = stores;
  if (!store) throw new Error("there is no instance");
  return {
    ...{ store, time, seen },
    /** Proposes all at once, spread over the instances. */
    proposeAll: (responses: readonly LimitedResponse[]) =>
      Promise.all(responses.map((response, index) => instances[index % count]?.(response))),
    rows: () => rowsOf(database.admin),
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.end({ timeout: 1 })));
      await database[Symbol.asyncDispose]();
    },
  };
}

interface CountedRow {
  id: string;
  tenant: string;
  requester: string;
  thread: string;
  verdict: string;
  status: string;
  input: { amount: number; customer?: string };
}

/** All calls in the order in which they were counted; the database tells it, and none of the product's code. */
async function rowsOf(admin: postgres.Sql): Promise<CountedRow[]> {
  const rows = await admin<(Omit<CountedRow, "input"> & { input: string })[]>`
    select id, a.tenant_id as tenant, requester_id as requester, thread_id as thread, verdict, status,
      coalesce(edited_input_json, input_json) as input
    from countersign.approvals a
    join (select approval_id, min(position) as place from countersign.counted_calls group by 1) c on approval_id = id
    order by place`;
  return rows.map((row) => ({ ...row, input: JSON.parse(row.input) }));
}

const never = ["denied", "expired", "withdrawn"];
const amounts = (rows: readonly CountedRow[]) => rows.reduce((sum, { input }) => sum + input.amount, 0);
const unasked = (rows: readonly CountedRow[]) => rows.filter(({ verdict }) => verdict === "notify");

/** What was counted before each call and still counts, with the call itself. */
const withThoseBefore = (rows: readonly CountedRow[], of: (before: CountedRow, own: CountedRow) => boolean) =>
  rows.map(
    (own, place) =>
      [
        own,
        [...rows.slice(0, place).filter((row) => of(row, own) && !never.includes(row.status)), own],
      ] as const,
  );

/** A call like no other: people are asked about equal calls once. */
const call = (amount: number, asked = false) => ({ input: { id: randomUUID(), amount, asked } });

/** Numbers that are the same in each run. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

describe("calls that are proposed at once", () => {
  it("never exceed a limit without anybody being asked, and are asked about no earlier", async () => {
    await using world = await openInstances(ofOneRequester);
    const next = numbers(1);
    await world.proposeAll(
      Array.from({ length: 80 }, () => ({
        calls: Array.from({ length: 1 + next(3) }, () => call(1 + next(20))),
      })),
    );
    const rows = await world.rows();
    expect(rows.length).toBeGreaterThan(80);
    expect(amounts(unasked(rows))).toBeLessThanOrEqual(dayLimit);
    const expected = withThoseBefore(rows, () => true).map(([row, all]) => [
      row.id,
      amounts(all) > dayLimit ? "ask" : "notify",
    ]);
    expect(rows.map(({ id, verdict }) => [id, verdict])).toEqual(expected);
    expect(world.seen.overtaken).toBeGreaterThan(0);
  });

  it("are counted apart by tenant, requester, thread and argument, under several limits at once", async () => {
    const limits = { requester: 75, tenant: 300, thread: 5, customer: 3 };
    await using world = await openInstances(
      policyOf([
        { tools: "refund", when: `spent("refund", "amount", "24h") > ${limits.requester}`, ...asked },
        { tools: "refund", when: `spent("refund", "amount", "7d", "tenant") > ${limits.tenant}`, ...asked },
        { tools: "refund", when: `calls("refund", "1h", "thread") > ${limits.thread}`, ...asked },
        { tools: "refund", when: `calls("*fund", "1h", "customer") > ${limits.customer}`, ...asked },
      ]),
    );
    const next = numbers(2);
    await world.proposeAll(
      Array.from({ length: 70 }, () => ({
        tenantId: `tenant-${next(2)}`,
        requesterId: `requester-${next(6)}`,
        threadId: `thread-${next(12)}`,
        calls: Array.from({ length: 1 + next(2) }, () => ({
          input: { ...call(1 + next(12)).input, customer: `customer-${next(20)}` },
        })),
      })),
    );
    const rows = await world.rows();
    const expected = withThoseBefore(rows, (row, own) => row.tenant === own.tenant).map(([own, all]) => {
      const same = (what: "requester" | "thread") => all.filter((row) => row[what] === own[what]);
      const exceeds =
        amounts(same("requester")) > limits.requester ||
        amounts(all) > limits.tenant ||
        same("thread").length > limits.thread ||
        all.filter(({ input }) => input.customer === own.input.customer).length > limits.customer;
      return [own.id, exceeds ? "ask" : "notify"];
    });
    expect(rows.map(({ id, verdict }) => [id, verdict])).toEqual(expected);
    expect(new Set(rows.map(({ verdict }) => verdict)).size).toBe(2);
  });

  it("are written in the end even if each attempt to write them is overtaken", async () => {
    await using world = await openInstances(
      policyOf(
        Array.from({ length: 10 }, (_, n) => ({
          tools: "refund",
          when: `calls("refund", "24h") > ${n + 1}`,
          ...asked,
          reason: `More than ${n + 1}`,
        })),
      ),
    );
    await world.proposeAll(Array.from({ length: 30 }, () => ({ calls: [call(1)] })));
    const rows = await world.rows();
    expect(rows).toHaveLength(30);
    expect(unasked(rows)).toHaveLength(1);
    expect(world.seen.overtaken).toBeGreaterThan(0);
  });

  it("get the room of denied, withdrawn and expired calls, and never more", async () => {
    await using world = await openInstances(
      policyOf([
        { tools: "refund", when: `spent("refund", "amount", "24h") > ${dayLimit}`, ...asked },
        { tools: "refund", when: "input.asked", ...asked },
      ]),
    );
    const next = numbers(3);
    for (let round = 0; round < 3; round++) {
      const asking = Array.from({ length: 30 }, (_, index) => ({
        id: `asked-${round}-${index}`,
        // A third expires before the round begins.
        timeoutMs: index % 3 === 0 ? 1000 : 86_400_000,
        calls: [call(20 + next(20), true)],
      }));
      await world.proposeAll(asking);
      await Promise.all(asking.map(({ id }) => world.store.announce(`req_${id}`)));
      world.time.offset += 60_000;
      const endings = asking.map(
        ({ id }, index) =>
          () =>
            end(world.store, id, index),
      );
      await Promise.all([
        world.proposeAll(
          Array.from({ length: 40 }, () => ({
            calls: Array.from({ length: 1 + next(2) }, () => call(1 + next(12))),
          })),
        ),
        world.store.sweep(),
        ...endings.map((ending) => ending()),
      ]);
      for (const [own, all] of withThoseBefore(await world.rows(), () => true)) {
        if (own.verdict === "notify") expect(amounts(all), own.id).toBeLessThanOrEqual(dayLimit);
      }
    }
    const rows = await world.rows();
    const room = dayLimit - amounts(rows.filter(({ status }) => !never.includes(status)));
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(["approved", "proposed", ...never]));
    // What is left is exactly what one more call may take.
    if (room > 0) {
      await world.proposeAll([{ id: "last", calls: [call(room)] }]);
      expect((await world.rows()).at(-1)?.verdict).toBe("notify");
    }
    await world.proposeAll([{ calls: [call(1)] }]);
    expect((await world.rows()).at(-1)?.verdict).toBe("ask");
  });
});

/** Denies every second of the calls that wait, and withdraws others together with their run. */
async function end(store: Store, id: string, index: number): Promise<void> {
  if (index % 3 === 2) return void (await store.withdrawRun(`run_${id}`, "run_failed"));
  const approval = await store.getApproval("acme", `apr_${id}_0`);
  if (!approval) throw new Error(`${id} is missing`);
  const decision = { approvalId: approval.id, principal: lead, digest: approval.digest, reason: null };
  await store.decide({ ...decision, type: index % 6 === 1 ? "deny" : "approve" });
}
