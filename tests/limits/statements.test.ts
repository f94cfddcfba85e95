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
  return sent.map(({ text, parameters, connection }) => {
    const table = /"countersign"\."(\w+)"/.exec(text)?.[1];
    const verb = /countersign\.(read_all|apply_changes)/.exec(text)?.[1];
    const words = `${/^\s*(\w+)/.exec(text)?.[1]}${table === undefined ? "" : ` ${table}`}`;
    const isTurn = parameters.includes("countersign:propose:acme");
    return { connection, what: isTurn ? "take the turn" : (verb ?? words) };
  });
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
