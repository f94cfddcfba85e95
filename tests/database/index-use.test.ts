import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { giveBudget, hundred, proposeOne } from "../support/budgets.js";
import { freshPostgres } from "../support/databases.js";
import { principals } from "../support/harness.js";
import { fillWithDecided } from "../support/postgres/many-approvals.mjs";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

const past = 60_000;
const waiting = 300;
const limits = {
  ...{ denialsInARow: 3, pendingPerRun: 999, pendingPerThread: 999, pendingPerRequester: 999 },
  pendingPerTenant: 999,
};

interface Statement {
  text: string;
  parameters: unknown[];
}

const isVerb = ({ text }: Statement) => /countersign\.(read_all|apply_changes)\(/.test(text);

/** A database with many decided approvals, and a store on it whose statements are recorded. */
async function openWorld() {
  const database = await freshPostgres(4);
  const statements: Statement[] = [];
  const client = postgres(database.url, {
    max: 2,
    onnotice: () => {},
    debug: (_, text, parameters) => statements.push({ text, parameters: [...parameters] }),
  });
  const store = postgresStore({ client });
  await store.migrate();
  await fillWithDecided(database.postgres, "acme", { from: 1, to: past });
  for (let n = 0; n < waiting; n += 50) {
    await proposeCall(store, { calls: 50, approvers: { roles: ["finance"], ids: [] } });
  }
  await database.postgres`analyze countersign.approvals`;
  return {
    store,
    /** The statements about approvals that a use of the store sends. */
    async statementsOf(use: (store: Store) => Promise<unknown>): Promise<Statement[]> {
      statements.length = 0;
      await use(store);
      return statements.filter(
        (each) =>
          isVerb(each) || (/^(select|update|with)/.test(each.text) && each.text.includes("approvals")),
      );
    },
    /** How often a function of the database reads all of a table, for the role that the application has. What it wrote is undone. */
    async scansOf({ text, parameters }: Statement): Promise<object[]> {
      // Otherwise it would find what it has written before.
      const again = parameters.map((value) =>
        typeof value === "string"
          ? value.replaceAll("req_", "req_again_").replaceAll("apr_", "apr_again_")
          : value,
      );
      let scans: object[] = [];
      const undone = new Error("undone");
      const run = database.postgres.begin(async (tx) => {
        await tx.unsafe(text, again as never[]);
        scans = await tx`select relname as table from pg_stat_xact_user_tables
          where relname in ('approvals', 'audit_entries', 'requests') and seq_scan > 0`;
        throw undone;
      });
      await expect(run).rejects.toBe(undone);
      return scans;
    },
    /** The nodes of a statement's plan, for the role that the application has. */
    async planOf({ text, parameters }: Statement): Promise<PlanNode[]> {
      const explained = await database.postgres.begin(async (tx) => {
        await tx`select set_config('countersign.tenant', 'acme', true)`;
        const rows = await tx.unsafe(`explain (format json) ${text}`, parameters as never[]);
        await tx`select 1`;
        return rows;
      });
      return nodesOf(plans.parse(explained[0]?.["QUERY PLAN"])[0]?.Plan);
    },
    async [Symbol.asyncDispose]() {
      await client.end({ timeout: 1 });
      await database[Symbol.asyncDispose]();
    },
  };
}

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string | undefined;
  "Index Cond"?: string | undefined;
  Plans?: PlanNode[] | undefined;
}

const node: z.ZodType<PlanNode> = z.object({
  "Node Type": z.string(),
  "Relation Name": z.string().optional(),
  "Index Cond": z.string().optional(),
  get Plans() {
    return z.array(node).optional();
  },
});
const plans = z.array(z.object({ Plan: node }));

function nodesOf(plan: PlanNode | undefined): PlanNode[] {
  return plan ? [plan, ...(plan.Plans ?? []).flatMap(nodesOf)] : [];
}

describe("a store with many decided approvals", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const finance = principals.finance as NonNullable<typeof principals.finance>;
  const mine = { tenantId: "acme", visibleTo: finance, limit: 51 };
  const expires = { by: "expiresAt" as const, latestFirst: false };
  const decided = { by: "decidedAt" as const, latestFirst: true };
  const uses: Record<string, (store: Store) => Promise<unknown>> = {
    "pending approvals, oldest first": (store) => store.listApprovals({ ...mine, statuses: ["pending"] }),
    "pending approvals, by the time left": (store) =>
      store.listApprovals({ ...mine, statuses: ["pending"], order: expires }),
    "the next page of pending approvals": async (store) => {
      const [, after] = await store.listApprovals({ ...mine, statuses: ["pending"], order: expires });
      if (!after?.expiresAt) throw new Error("unreachable");
      return store.listApprovals({
        ...mine,
        statuses: ["pending"],
        order: expires,
        after: { at: after.expiresAt, id: after.id },
      });
    },
    "the latest decisions": (store) =>
      store.listApprovals({ ...mine, statuses: ["executed", "denied"], order: decided }),
    "the calls of a thread": (store) => store.listApprovals({ ...mine, threadId: "thread_7" }),
    "the count of pending approvals": (store) =>
      store.countApprovals({ tenantId: "acme", visibleTo: finance }),
    "the same calls before one": async (store) => {
      const call = await store.getApproval("acme", "past_7");
      if (!call) throw new Error("unreachable");
      return store.sameCalls({ ...call, id: "another" }, finance);
    },
    "one approval": (store) => store.getApproval("acme", "past_7"),
    "the calls of a response, and those that its run has made before": (store) =>
      store.approvalsOf("request_7", { runId: "run_7", callIds: ["call_7"] }),
    "a decision": async (store) => {
      const [call] = await store.listApprovals({ ...mine, statuses: ["pending"], limit: 1 });
      if (!call) throw new Error("unreachable");
      const result = await store.decide({
        approvalId: call.id,
        principal: finance,
        type: "deny",
        digest: call.digest,
        reason: null,
      });
      expect(result.outcome).toBe("decided");
    },
    "the comparison of a new call with a budget": async (store) => {
      await giveBudget(store, hundred);
      expect(await proposeOne(store, 1)).toMatchObject({ status: "approved" });
    },
    "the comparison of a new call with earlier ones": (store) =>
      proposeCall(store, { threadId: "thread_8", limits }),
    "overdue approvals": (store) => store.sweep(),
  };

  it.each(Object.entries(uses))("uses an index for %s", async (_, use) => {
    const sent = await world.statementsOf(use);
    expect(sent.length).toBeGreaterThan(0);
    for (const statement of sent) {
      if (isVerb(statement)) {
        expect(await world.scansOf(statement), statement.text).toEqual([]);
        continue;
      }
      const nodes = await world.planOf(statement);
      expect(nodes.length, statement.text).toBeGreaterThan(0);
      const scans = nodes.map((each) => `${each["Node Type"]} on ${each["Relation Name"] ?? "nothing"}`);
      expect(scans, statement.text).not.toContain("Seq Scan on approvals");
    }
  });

  it("reads no decisions of other days for those of one day", async () => {
    const day = { decidedAfter: new Date("2026-01-02"), decidedBefore: new Date("2026-01-03") };
    const [listed] = await world.statementsOf((store) =>
      store.listApprovals({ ...mine, statuses: ["executed", "denied"], order: decided, ...day }),
    );
    const nodes = listed && (await world.planOf(listed));
    const conditions = nodes?.flatMap((each) => each["Index Cond"] ?? []).join(" ");
    expect(conditions).toMatch(/decided_at > .*decided_at < /);
  });
});
