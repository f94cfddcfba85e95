import { counterOf, countNamed } from "@countersign/policy/internal/policy/counts";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { limitedCalls } from "../support/limited-calls.js";
import { policyOf } from "../support/policy-of.js";
import { checkHours } from "../support/postgres/counted-hours.js";
import { fillWithDecided } from "../support/postgres/many-approvals.mjs";
import { sentStatements } from "../support/postgres/sent-statements.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

const asked = { verdict: "ask", approvers: { roles: ["lead"] } };
const past = 60_000;

async function openWorld() {
  const database = await freshPostgres(4);
  const statements = sentStatements();
  const client = postgres(database.url, {
    ...{ max: 2, onnotice: () => {}, fetch_types: false },
    debug: statements.debug,
  });
  const store = postgresStore({ client });
  return {
    ...{ database, store },
    statementsOf: statements.during,
    async [Symbol.asyncDispose]() {
      await client.end({ timeout: 1 });
      await database[Symbol.asyncDispose]();
    },
  };
}

type World = Awaited<ReturnType<typeof openWorld>>;

interface Sent {
  connection: number;
  /** The first word, and the table; or what else tells it from others. */
  what: string;
}

/** The statements of one call. */
async function proposalUnder(world: World, rules: readonly object[], tool: string): Promise<Sent[]> {
  const propose = limitedCalls(world.store, policyOf(rules));
  const call = () => propose({ calls: [{ tool, input: { id: "A-1", amount: 1 } }], threadId: null });
  // The first call of a connection asks for what later ones know.
  await call();
  const sent = await world.statementsOf(call);
  const named = sent.map(({ text, parameters, connection }) => {
    const table = /"countersign"\."(\w+)"/.exec(text)?.[1];
    const verb = /countersign\.(read_all|apply_changes)/.exec(text)?.[1];
    const words = `${/^\s*(\w+)/.exec(text)?.[1]}${table === undefined ? "" : ` ${table}`}`;
    const isTurn = parameters.includes("countersign:propose:acme");
    return { connection, what: isTurn ? "take the turn" : (verb ?? words) };
  });
  return withoutStops(named);
}

/** Without the transaction that reads the stops, which a process remembers for half a second. */
function withoutStops(sent: readonly Sent[]): Sent[] {
  const at = sent.findIndex(({ what }) => what === "select stops");
  if (at < 0) return [...sent];
  const own = ({ connection }: Sent) => connection === sent[at]?.connection;
  const isEdge = (edge: string) => (statement: Sent) => own(statement) && statement.what === edge;
  const from = sent.slice(0, at).findLastIndex(isEdge("begin"));
  const to = at + sent.slice(at).findIndex(isEdge("commit"));
  return withoutStops(sent.filter((statement, index) => index < from || index > to || !own(statement)));
}

const allOf = (sent: readonly Sent[]) => sent.map(({ what }) => what);

describe("the statements of a proposal", () => {
  it("are the same as ever if no limit counts its tool", async () => {
    await using world = await openWorld();
    const notified = { tools: "refund", verdict: "notify" };
    const limitOfOther = { tools: "email", when: 'calls("email", "1h") > 3', ...asked };
    const before = allOf(await proposalUnder(world, [notified], "refund"));
    expect(allOf(await proposalUnder(world, [notified, limitOfOther], "refund"))).toEqual(before);
    expect(before.filter((text) => /turn|counted_calls/.test(text))).toEqual([]);
  });

  it("are more if one does: to read what was counted, twice, and to take turns", async () => {
    await using world = await openWorld();
    const notified = { tools: "refund", verdict: "notify" };
    const limit = { tools: "refund", when: 'spent("refund", "amount", "24h") > 1000', ...asked };
    const before = allOf(await proposalUnder(world, [notified], "refund"));
    expect(before.filter((what) => what === "apply_changes")).toHaveLength(1);
    const sent = await proposalUnder(world, [notified, limit], "refund");
    // The first reading is a transaction of its own.
    expect(allOf(sent).filter((what) => what === "select counted_calls")).toHaveLength(1);
    const begins = (all: readonly string[]) => all.filter((what) => what === "begin").length;
    expect(begins(allOf(sent))).toBe(begins(before) + 2);
    // What is read and written in turn is one transaction.
    const turn = sent.find(({ what }) => what === "take the turn");
    const own = allOf(sent.filter(({ connection }) => connection === turn?.connection));
    const at = own.indexOf("take the turn");
    const verb = own.slice(own.lastIndexOf("begin", at), own.indexOf("commit", at) + 1);
    expect(verb.filter((what) => what !== "select")).toEqual([
      "begin",
      "take the turn",
      "read_all",
      "apply_changes",
      "commit",
    ]);
  });
});

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string | undefined;
  "Index Name"?: string | undefined;
  "Index Cond"?: string | undefined;
  "Function Name"?: string | undefined;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number | undefined;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: PlanNode[] | undefined;
}

const node: z.ZodType<PlanNode> = z.object({
  "Node Type": z.string(),
  "Relation Name": z.string().optional(),
  "Index Name": z.string().optional(),
  "Index Cond": z.string().optional(),
  "Function Name": z.string().optional(),
  "Actual Rows": z.number(),
  "Actual Loops": z.number(),
  "Rows Removed by Filter": z.number().optional(),
  "Shared Hit Blocks": z.number(),
  "Shared Read Blocks": z.number(),
  get Plans() {
    return z.array(node).optional();
  },
});

const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

describe("a number over time, however many calls there are", () => {
  let world: World;
  const series = { tenant: countNamed("spent", ["refund", "amount", "24h", "tenant"]) };
  const counters = Array.from({ length: 100 }, (_, n) => counterFor(n));
  const ofTenant = counterOf(series.tenant, { input: {}, requesterId: null, threadId: null }) ?? "";
  const dayMs = 86_400_000;

  beforeAll(async () => {
    world = await openWorld();
    const { database } = world;
    await fillWithDecided(database.postgres, "acme", { from: 1, to: past });
    await database.postgres.begin(async (tx) => {
      await tx`select set_config('countersign.all_tenants', 'on', true)`;
      // Over 30 days, in the order in which they happened.
      await tx`
        insert into countersign.counted_calls (approval_id, counter, tenant_id, at, amount)
        select 'past_' || n, unnest(array[${JSON.stringify(counters)}::text::jsonb ->> (n / 2) % 100, ${ofTenant}]), 'acme',
          now() - n * interval '43 seconds', 80
        from generate_series(${past}::int, 1, -1) n`;
      // They were written at their times, so no mark is left.
      await tx`delete from countersign.counted_hours`;
    });
    await database.postgres`vacuum analyze countersign.counted_calls`;
  });
  afterAll(() => world[Symbol.asyncDispose]());

  function counterFor(n: number): string {
    const count = countNamed("spent", ["refund", "amount", "24h"]);
    return counterOf(count, { input: {}, requesterId: `requester ${n}`, threadId: null }) ?? "";
  }

  async function planOf({
    text,
    parameters,
  }: {
    text: string;
    parameters: readonly unknown[];
  }): Promise<PlanNode> {
    return world.database.postgres.begin(async (tx) => {
      await tx`select set_config('countersign.tenant', 'acme', true)`;
      const [explained] = await tx.unsafe(
        `explain (analyze, buffers, format json, timing off) ${text}`,
        parameters as never[],
      );
      return z.tuple([z.object({ Plan: node })]).parse(explained?.["QUERY PLAN"])[0].Plan;
    });
  }

  /** How the number is read outside of a turn: the scan of the calls, and how many it looks at. */
  async function readingOf(counter: string, which?: Parameters<Store["readCounts"]>[2]) {
    const sent = await world.statementsOf(() =>
      world.store.readCounts("acme", [{ counter, windowMs: dayMs }], which),
    );
    const reading = sent.find(({ text }) => text.includes("counted_calls"));
    if (!reading) throw new Error("nothing was read");
    const scans = nodesOf(await planOf(reading)).filter((each) => each["Node Type"].includes("Scan"));
    const others = scans.filter((each) => each["Function Name"] !== "counted_parts");
    expect(others.filter((each) => !/^(Index|Bitmap)/.test(each["Node Type"]))).toEqual([]);
    const counted = scans.find((each) => each["Index Name"] === "counted_calls_counter");
    // What lies outside of the window is not even looked at.
    expect(counted?.["Index Cond"]).toMatch(/\bat > /);
    const {
      "Actual Rows": rows = 0,
      "Rows Removed by Filter": removed = 0,
      "Actual Loops": loops = 0,
    } = counted ?? {};
    return Math.round((rows + removed) * loops);
  }

  /** A proposal behind the turn: what it counted, and the buffers that its reading needs. */
  async function proposal(counter: string): Promise<{ counted: number | undefined; buffers: number }> {
    let counted: number | undefined;
    const stand = ([number]: readonly number[]) => {
      counted = number;
      return true;
    };
    const counts = { queries: [{ counter, windowMs: dayMs }], stand };
    const sent = await world.statementsOf(() => proposeCall(world.store, { verdict: "notify", counts }));
    const reading = sent.find(({ text }) => text.includes("countersign.read_all("));
    if (!reading) throw new Error("nothing was read");
    // Another request: this one exists by now.
    const parameters = reading.parameters.map((value) =>
      typeof value === "string" ? value.replaceAll("req_", "req_again_") : value,
    );
    const plan = await planOf({ ...reading, parameters });
    return { counted, buffers: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] };
  }

  it.each([undefined, { except: "past_15" }, { before: "past_14" }])(
    "is read as one range of an index (%o)",
    async (which) => {
      // 86,400 s at 43 s a call, of which each hundredth is of this requester.
      const seen = await readingOf(counters[7] ?? "", which);
      expect(seen).toBeGreaterThan(10);
      expect(seen).toBeLessThan(40);
    },
  );

  it("is read by hours once a proposal has summed these up, if they have many calls", async () => {
    const own = await proposal(counters[7] ?? "");
    expect(own.counted).toBeGreaterThan(10 * 80);
    expect(await world.database.admin`select from countersign.counted_hours`).toHaveLength(0);
    const inDay = Math.ceil(dayMs / 43_000);
    const perHour = Math.ceil(3_600_000 / 43_000);
    expect(await readingOf(ofTenant)).toBeGreaterThan(inDay - 10);
    const first = await proposal(ofTenant);
    expect(Math.abs((first.counted ?? 0) / 80 - inDay)).toBeLessThan(10);
    expect(await readingOf(ofTenant)).toBeLessThan(2 * perHour + 2);
    expect(await readingOf(ofTenant, { except: "past_15" })).toBeLessThan(2 * perHour + 2);
    // Its hour may be over by now, but is not summed up for it.
    expect(await readingOf(ofTenant, { before: "past_14" })).toBeLessThan(3 * perHour + 2);
    const later = await proposal(ofTenant);
    expect(Math.abs((later.counted ?? 0) - (first.counted ?? 0))).toBeLessThan(10 * 80);
    expect(later.buffers).toBeLessThan(own.buffers + 100);
    const { stand, wrong } = await checkHours(world.database.admin);
    expect({ stand, wrong }).toEqual({ stand: 23, wrong: [] });
  });
});
