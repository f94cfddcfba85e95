import { counterOf, countNamed } from "@countersign/policy/internal/policy/counts";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { limitedCalls } from "../support/limited-calls.js";
import { policyOf } from "../support/policy-of.js";
import { fillWithDecided } from "../support/postgres/many-approvals.mjs";
import { sentStatements } from "../support/postgres/sent-statements.js";
import { postgresStore } from "../support/store.js";

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

/** The statements of one call: what the first word does, and to which table. */
async function proposalUnder(world: World, rules: readonly object[], tool: string): Promise<string[]> {
  const propose = limitedCalls(world.store, policyOf(rules));
  const call = () => propose({ calls: [{ tool, input: { id: "A-1", amount: 1 } }], threadId: null });
  // The first call of a connection asks for what later ones know.
  await call();
  const sent = await world.statementsOf(call);
  return sent.map(({ text, parameters }) => {
    const table = /"countersign"\."(\w+)"/.exec(text)?.[1];
    if (parameters.includes("countersign:propose:acme")) return "take the turn";
    return `${/^\s*(\w+)/.exec(text)?.[1]}${table === undefined ? "" : ` ${table}`}`;
  });
}

describe("the statements of a proposal", () => {
  it("are the same as ever if no limit counts its tool", async () => {
    await using world = await openWorld();
    const notified = { tools: "refund", verdict: "notify" };
    const limitOfOther = { tools: "email", when: 'calls("email", "1h") > 3', ...asked };
    const before = await proposalUnder(world, [notified], "refund");
    expect(await proposalUnder(world, [notified, limitOfOther], "refund")).toEqual(before);
    expect(before.filter((text) => /turn|counted_calls/.test(text))).toEqual([]);
  });

  it("are more if one does: to read it twice, to count the call, and to take turns", async () => {
    await using world = await openWorld();
    const notified = { tools: "refund", verdict: "notify" };
    const limit = { tools: "refund", when: 'spent("refund", "amount", "24h") > 1000', ...asked };
    const before = await proposalUnder(world, [notified], "refund");
    const sent = await proposalUnder(world, [notified, limit], "refund");
    const count = (text: string) => sent.filter((each) => each === text).length;
    expect(count("select counted_calls")).toBe(2);
    expect(count("insert counted_calls")).toBe(1);
    expect(count("take the turn")).toBe(1);
    // The first reading is a transaction of its own.
    const rest = sent.filter((text) => !/turn|counted_calls/.test(text));
    expect(rest.filter((text) => !/^(begin|select|commit)$/.test(text))).toEqual(
      before.filter((text) => !/^(begin|select|commit)$/.test(text)),
    );
    expect(rest.filter((text) => text === "begin").length).toBe(
      before.filter((text) => text === "begin").length + 1,
    );
  });
});

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string | undefined;
  "Index Name"?: string | undefined;
  "Index Cond"?: string | undefined;
  "Actual Rows": number;
  "Rows Removed by Filter"?: number | undefined;
  Plans?: PlanNode[] | undefined;
}

const node: z.ZodType<PlanNode> = z.object({
  "Node Type": z.string(),
  "Relation Name": z.string().optional(),
  "Index Name": z.string().optional(),
  "Index Cond": z.string().optional(),
  "Actual Rows": z.number(),
  "Rows Removed by Filter": z.number().optional(),
  get Plans() {
    return z.array(node).optional();
  },
});

const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

it("a number over time is read as one range of an index, however many calls there are", async () => {
  await using world = await openWorld();
  const { database, store } = world;
  await fillWithDecided(database.postgres, "acme", { from: 1, to: past });
  const count = countNamed("spent", ["refund", "amount", "24h"]);
  const counters = Array.from(
    { length: 100 },
    (_, n) => counterOf(count, { input: {}, requesterId: `requester ${n}`, threadId: null }) ?? "",
  );
  await database.postgres.begin(async (tx) => {
    await tx`select set_config('countersign.all_tenants', 'on', true)`;
    // Over 30 days, in the order in which they happened.
    await tx`
      insert into countersign.counted_calls (approval_id, counter, tenant_id, at, amount)
      select 'past_' || n, ${JSON.stringify(counters)}::text::jsonb ->> (n / 2) % 100, 'acme', now() - n * interval '43 seconds', 80
      from generate_series(${past}::int, 1, -1) n`;
  });
  await database.postgres`analyze countersign.counted_calls`;
  const query = { counter: counters[7] ?? "", windowMs: 86_400_000 };
  const readings = [undefined, { except: "past_15" }, { before: "past_14" }];
  for (const which of readings) {
    const sent = await world.statementsOf(() => store.readCounts("acme", [query], which));
    const reading = sent.find(({ text }) => text.includes("counted_calls"));
    if (!reading) throw new Error("nothing was read");
    const [explained] = await database.postgres.begin(async (tx) => {
      await tx`select set_config('countersign.tenant', 'acme', true)`;
      return tx.unsafe(
        `explain (analyze, format json, timing off) ${reading.text}`,
        reading.parameters as never[],
      );
    });
    const [{ Plan }] = z.tuple([z.object({ Plan: node })]).parse(explained?.["QUERY PLAN"]);
    const scans = nodesOf(Plan).filter((each) => each["Node Type"].includes("Scan"));
    expect(scans.filter((each) => !/^(Index|Bitmap)/.test(each["Node Type"]))).toEqual([]);
    const counted = scans.find((each) => each["Index Name"] === "counted_calls_counter");
    // What lies outside of the window is not even looked at.
    expect(counted?.["Index Cond"]).toMatch(/\bat > /);
    // 86,400 s at 43 s a call, of which each hundredth is of this requester, and half were denied.
    const seen = (counted?.["Actual Rows"] ?? 0) + (counted?.["Rows Removed by Filter"] ?? 0);
    expect(seen).toBeGreaterThan(10);
    expect(seen).toBeLessThan(40);
  }
});
