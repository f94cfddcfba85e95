import { createCountersign, definePolicy } from "countersign";
import { approvalsApi } from "countersign/hono";
import { Inngest } from "inngest";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { fillThread } from "../support/agents/long-thread.js";
import { freshPostgres } from "../support/databases.js";
import { principals } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

const requester = principals.requester as NonNullable<typeof principals.requester>;
const long = 500;

interface Plan {
  "Node Type": string;
  "Relation Name"?: string | undefined;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number | undefined;
  Plans?: Plan[] | undefined;
}

const plan: z.ZodType<Plan> = z.object({
  "Node Type": z.string(),
  "Relation Name": z.string().optional(),
  "Actual Rows": z.number(),
  "Actual Loops": z.number(),
  "Rows Removed by Filter": z.number().optional(),
  get Plans() {
    return z.array(plan).optional();
  },
});
const plans = z.array(z.object({ Plan: plan }));

/** The number of rows of a table that a plan has read. */
function rowsRead(node: Plan, table: string): number {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child, table), 0);
  const own = node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0);
  return below + (node["Relation Name"] === table ? own * node["Actual Loops"] : 0);
}

/** A short and a long thread, each with a pending call, and an API on them whose statements are recorded. */
async function openWorld() {
  const database = await freshPostgres(4);
  const statements: { text: string; parameters: unknown[] }[] = [];
  const client = postgres(database.url, {
    max: 1,
    onnotice: () => {},
    debug: (_, text, parameters) => statements.push({ text, parameters: [...parameters] }),
  });
  const store = postgresStore({ client });
  const waiting: Record<string, string> = {};
  for (const [threadId, turns] of [
    ["short", 10],
    ["long", long],
  ] as const) {
    await fillThread(store, { threadId, turns });
    const [call] = await proposeCall(store, { threadId, runId: "run_now" });
    waiting[threadId] = call?.id ?? "";
  }
  await database.admin`vacuum analyze countersign.thread_entries`;
  await database.admin`vacuum analyze countersign.approvals`;
  const inngest = new Inngest({ id: "long-threads", isDev: true });
  const countersign = createCountersign({
    inngest,
    store,
    policy: definePolicy({ tools: {} }),
    tenantId: "acme",
  });
  const api = approvalsApi(countersign, { authenticate: () => requester, rateLimit: false });
  return {
    waiting,
    /** The cost of a request: its statements, the rows that they return, and the thread entries that they read. */
    async costOf(path: string) {
      // Some requests also read the database's clock, the stops and its secret. The store reads them beforehand here.
      await store.now();
      await store.engagedStops();
      await store.nameSecret();
      statements.length = 0;
      const response = await api.request(path);
      expect(response.status).toBe(200);
      const { messages, context } = (await response.json()) as {
        messages?: unknown[];
        context?: { messages: unknown[] };
      };
      const sent = statements.filter(
        ({ text }) => /^(select|with)/.test(text) && text.includes("countersign"),
      );
      let rows = 0;
      let entries = 0;
      for (const { text, parameters } of sent) {
        const explained = await database.postgres.begin(async (tx) => {
          await tx`select set_config('countersign.tenant', 'acme', true)`;
          const found = await tx.unsafe(`explain (analyze, format json) ${text}`, parameters as never[]);
          await tx`select 1`;
          return found;
        });
        const [root] = plans.parse(explained[0]?.["QUERY PLAN"]);
        if (!root) throw new Error("unreachable");
        rows += root.Plan["Actual Rows"] * root.Plan["Actual Loops"];
        entries += rowsRead(root.Plan, "thread_entries");
      }
      return { statements: sent.length, rows, entries, messages: (messages ?? context?.messages)?.length };
    },
    async [Symbol.asyncDispose]() {
      await client.end({ timeout: 1 });
      await database[Symbol.asyncDispose]();
    },
  };
}

/** The most calls like one that are compared with it, and one more, which says that there are others. */
const likeCalls = 101;

describe("a thread of 2,000 messages", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it("costs no more than a short one when its pending call is read, apart from calls like it", async () => {
    const short = await world.costOf(`/approvals/${world.waiting.short}`);
    expect(short).toMatchObject({ messages: 6 });
    const cost = await world.costOf(`/approvals/${world.waiting.long}`);
    expect(cost).toMatchObject({ statements: short.statements, messages: 6 });
    expect(cost.rows).toBeLessThanOrEqual(short.rows + likeCalls);
    expect(cost.entries).toBeLessThanOrEqual(short.entries);
  });

  it("costs at most 200 rows more than a short one when a call in its middle is read, apart from calls like it", async () => {
    const short = await world.costOf("/approvals/apr_short_5_0");
    expect(short).toMatchObject({ messages: 6 });
    const cost = await world.costOf(`/approvals/apr_long_${long / 2}_0`);
    expect(cost).toMatchObject({ statements: short.statements, messages: 6 });
    expect(cost.entries).toBeLessThanOrEqual(short.entries);
    // The last 200 calls before it are compared with it.
    expect(cost.rows).toBeLessThanOrEqual(short.rows + 200 + likeCalls);
  });

  it("costs no more than a short one when its newest page is read", async () => {
    const short = await world.costOf("/threads/short?limit=10");
    const cost = await world.costOf("/threads/long?limit=10");
    expect(cost).toMatchObject({ statements: short.statements, rows: short.rows, messages: short.messages });
    expect(cost.entries).toBeLessThanOrEqual(short.entries);
  });
});
