import { createTestHarness, type TestHarnessOptions } from "@countersign/testing";
import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { expect, it } from "vitest";
import { z } from "zod";
import { runSql } from "../support/audit-log.js";
import { freshPglite, freshPostgres, type TestDatabase } from "../support/databases.js";
import { pgliteStore, postgresStore, storeVerbs } from "../support/store.js";

const open = (options: Partial<TestHarnessOptions> = {}) =>
  createTestHarness({
    patience: "60s",
    policy: definePolicy({ tools: { refund: ask({ timeout: "1 hour" }) } }),
    tools: [createTool({ name: "refund", parameters: z.object({}), handler: () => "done" })],
    reply: ({ messages }) =>
      messages.at(-1)?.role === "user" ? { toolCalls: [{ name: "refund", input: {} }] } : { text: "Bye." },
    ...options,
  });

type StoreOption = NonNullable<TestHarnessOptions["store"]>;

const kinds: [string, () => Promise<TestDatabase>, (database: TestDatabase) => StoreOption][] = [
  [
    "PGlite",
    freshPglite,
    (database) => (options) => {
      if (database.kind !== "pglite") throw new Error("unreachable");
      return pgliteStore({ client: database.pglite, ...options });
    },
  ],
  [
    "Postgres",
    freshPostgres,
    (database) => (options) => {
      if (database.kind !== "postgres") throw new Error("unreachable");
      return postgresStore({ url: database.url, ...options });
    },
  ],
];

it.each(kinds)(
  "the harness stores its approvals in a given %s database, and they expire when time advances",
  async (_, fresh, storeOn) => {
    await using database = await fresh();
    await using desk = await open({ store: storeOn(database), tenantId: "acme" });
    const turn = await desk.say("Refund my order");
    const [call] = await turn.pending();
    const rows = await runSql(database, "select id, tenant_id from countersign.approvals");
    expect(rows).toEqual([{ id: call.id, tenant_id: "acme" }]);
    await desk.advance("1 hour");
    await desk.advance("5s");
    await turn.ended();
    expect((await desk.approval(call)).status).toBe("expired");
  },
);

it("a harness finds no data of the previous one in the same process", async () => {
  const before = await open();
  const turn = await before.say("Refund my order");
  const [old] = await turn.pending();
  await before.decide(old, { type: "approve" });
  await turn.ended();
  await before[Symbol.asyncDispose]();

  await using desk = await open();
  expect(await desk.audit()).toEqual([]);
  expect(await storeVerbs(desk.countersign.store).auditedTenants()).toEqual([]);
  await expect(desk.approval(old.id)).rejects.toThrow("Unknown approval");
  await expect(desk.ended(turn.runId)).rejects.toThrow("Unknown run");
  // The log of the second harness still verifies.
  const next = await desk.say("Refund my order");
  await next.pending();
  expect(await storeVerbs(desk.countersign.store).verifyAudit("test")).toMatchObject({ ok: true });
});
