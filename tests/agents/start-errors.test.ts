import { PGlite } from "@electric-sql/pglite";
import { ask, type Countersign, createCountersign, definePolicy } from "countersign";
import { Inngest } from "inngest";
import { describe, expect, it, vi } from "vitest";
import { pgliteStore, postgresStore } from "../support/store.js";

const whole = {
  inngest: new Inngest({ id: "start", isDev: true }),
  store: postgresStore({ url: "postgres://nobody@127.0.0.1:1/none" }),
  policy: definePolicy({ tools: { pay: ask() } }),
};
const create = (options: unknown): Countersign => createCountersign(options as never);
const invalid = (text: string) =>
  expect.objectContaining({ code: "invalid_option", message: expect.stringMatching(text) });

describe("createCountersign() names the option that", () => {
  it.each([
    ["is missing: all of them", undefined, "requires an object with inngest, store and policy"],
    ["is missing: inngest", {}, "^inngest: .*new Inngest"],
    ["is missing: store", { inngest: whole.inngest }, "^store: .*postgresStore"],
    ["is missing: policy", { inngest: whole.inngest, store: whole.store }, "^policy: .*definePolicy"],
    ["was not made by definePolicy()", { ...whole, policy: { tools: {} } }, "^policy: "],
    ["was not made by definePolicy() either", { ...whole, shadowPolicy: { tools: {} } }, "^shadowPolicy: "],
    ["is a URL instead of a store", { ...whole, store: "postgres://x" }, "^store: "],
    ["is no list", { ...whole, durableTools: "pay" }, "^durableTools: "],
    ["is no list of patterns", { ...whole, redactPatterns: "email" }, "^redactPatterns: "],
    ["is another word", { ...whole, supersede: "always" }, '^supersede: must be "never"'],
    ["is no duration", { ...whole, timeout: 30 }, "^timeout: "],
    ["is an empty tenant", { ...whole, tenantId: "" }, "^tenantId: "],
    ["is no function", { ...whole, context: {} }, "^context: "],
    ["is no object of limits", { ...whole, limits: 5 }, "^limits: "],
    ["is no number of messages", { ...whole, history: { maxMessages: 0 } }, "^history.maxMessages: "],
    ["is too short a key", { ...whole, signingKey: "short" }, "^signingKey"],
    ["is no name for functions", { ...whole, id: "Billing Desk" }, "^id: "],
    ["nobody knows", { ...whole, timeuot: "5m" }, "^timeuot: .*timeout"],
  ])("%s", (_what, options, text) => {
    expect(() => create(options)).toThrow(invalid(text));
  });
});

describe("a store names the option that", () => {
  it.each([
    ["is an empty url", () => postgresStore({ url: "" }), "^url: "],
    ["is missing", () => postgresStore({}), "^url: "],
    ["is missing with everything else", () => postgresStore(undefined as never), "^url: "],
    ["is no Postgres url", () => postgresStore({ url: "localhost:5432" }), "^url: "],
    ["is no client", () => postgresStore({ client: {} as never }), "^client: "],
    ["is no number of connections", () => postgresStore({ url: "postgres://x", max: 0 }), "^max: "],
    ["is no time", () => postgresStore({ url: "postgres://x", waitTimeoutMs: -1 }), "^waitTimeoutMs: "],
    ["is a schema", () => postgresStore({ url: "postgres://x", schema: "other" } as never), "^schema: "],
    ["is no PGlite", () => pgliteStore({ client: {} as never }), "^client: "],
    ["is no folder", () => pgliteStore({ dataDir: 5 as never }), "^dataDir: "],
  ])("%s", (_what, make, text) => {
    expect(make).toThrow(invalid(text));
  });
});

describe("a failure of a verb", () => {
  it("is not said to be the database's when it is a mistake in the call or the code", async () => {
    await using pglite = new PGlite();
    const store = pgliteStore({ client: pglite });
    await store.migrate();
    const failure = await store.decide(undefined as never, undefined).catch((error: unknown) => error);
    expect(failure).not.toHaveProperty("code");
    expect(failure).toMatchObject({
      message: expect.stringMatching(/store\.decide \(TypeError\).*not a database error/),
    });
  });

  it("is not said to be the database's when a row lacks a value", async () => {
    await using pglite = new PGlite();
    const store = pgliteStore({ client: pglite });
    await store.migrate();
    const thread = { tenantId: "acme", id: null as never, ownerId: null, runId: null };
    const failure = await store.openThread(thread).catch((error: unknown) => error);
    expect(failure).not.toHaveProperty("code");
    expect(failure).toMatchObject({ message: expect.stringContaining("23502") });
  });

  it("is the database's when it does not answer", async () => {
    await expect(whole.store.getApproval("acme", "apr_1")).rejects.toMatchObject({
      code: "database_failed",
      detail: { sqlState: "ECONNREFUSED" },
    });
  });

  it("is the missing migration's when the database has none", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await using pglite = new PGlite();
    await expect(pgliteStore({ client: pglite }).getApproval("acme", "apr_1")).rejects.toMatchObject({
      code: "not_migrated",
      detail: { sqlState: "42P01" },
    });
  });
});
