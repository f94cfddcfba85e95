import { ask, type Countersign, createCountersign, definePolicy } from "countersign";
import { Inngest } from "inngest";
import { describe, expect, it, vi } from "vitest";
import { emptyPostgres, freshPglite } from "../support/databases.js";
import { pgliteStore, postgresStore } from "../support/store.js";

const complete = {
  inngest: new Inngest({ id: "start", isDev: true }),
  store: postgresStore({ url: "postgres://nobody@127.0.0.1:1/none" }),
  policy: definePolicy({ tools: { pay: ask() } }),
};
const create = (options: unknown): Countersign => createCountersign(options as never);
const invalid = (text: string) =>
  expect.objectContaining({ code: "invalid_option", message: expect.stringMatching(text) });

describe("createCountersign()", () => {
  it.each([
    ["is missing: all of them", undefined, "requires an object with at least inngest"],
    ["is missing: inngest", {}, "^inngest: .*new Inngest"],
    ["is an undefined store", { ...complete, store: undefined }, "^store: is undefined"],
    ["is an undefined policy", { ...complete, policy: undefined }, "^policy: is undefined"],
    ["was not made by definePolicy()", { ...complete, policy: { tools: {} } }, "^policy: "],
    [
      "is a shadow policy that was not made by definePolicy()",
      { ...complete, shadowPolicy: { tools: {} } },
      "^shadowPolicy: ",
    ],
    ["is a URL instead of a store", { ...complete, store: "postgres://x" }, "^store: "],
    ["is not a list", { ...complete, durableTools: "pay" }, "^durableTools: "],
    ["is a negated glob", { ...complete, durableTools: ["pay", "!pay_*"] }, '^durableTools: .*"!'],
    ["is not a list of patterns", { ...complete, redactPatterns: "email" }, "^redactPatterns: "],
    ["is an unknown word", { ...complete, supersede: "always" }, '^supersede: must be "never"'],
    ["is not a duration", { ...complete, timeout: 30 }, "^timeout: "],
    ["is an empty tenant", { ...complete, tenantId: "" }, "^tenantId: "],
    ["is not a function", { ...complete, context: {} }, "^context: "],
    ["is not an object of limits", { ...complete, limits: 5 }, "^limits: "],
    ["is not a number of messages", { ...complete, history: { maxMessages: 0 } }, "^history.maxMessages: "],
    ["is too short a key", { ...complete, signingKey: "short" }, "^signingKey"],
    ["is not a valid id", { ...complete, id: "Billing Desk" }, "^id: "],
    ["is unknown", { ...complete, timeuot: "5m" }, "^timeuot: .*timeout"],
  ])("names the option that %s", (_what, options, text) => {
    expect(() => create(options)).toThrow(invalid(text));
  });
});

describe("a store", () => {
  it.each([
    ["is not a Postgres url", () => postgresStore({ url: "localhost:5432" }), "^url: "],
    ["is not a client", () => postgresStore({ client: {} as never }), "^client: "],
    ["is not a number of connections", () => postgresStore({ url: "postgres://x", max: 0 }), "^max: "],
    ["is not a time", () => postgresStore({ url: "postgres://x", waitTimeoutMs: -1 }), "^waitTimeoutMs: "],
    [
      "is an unsupported schema",
      () => postgresStore({ url: "postgres://x", schema: "other" } as never),
      "^schema: ",
    ],
    ["is not a PGlite", () => pgliteStore({ client: {} as never }), "^client: "],
    ["is not a folder", () => pgliteStore({ dataDir: 5 as never }), "^dataDir: "],
  ])("names the option that %s", (_what, make, text) => {
    expect(make).toThrow(invalid(text));
  });
});

describe("a failed store call", () => {
  it("is not reported as database_failed after a mistake in the call or the code", async () => {
    await using database = await freshPglite();
    const store = pgliteStore({ client: database.pglite });
    const failure = await store.decide(undefined as never, undefined).catch((error: unknown) => error);
    expect(failure).not.toHaveProperty("code");
    expect(failure).toMatchObject({
      message: expect.stringMatching(/store\.decide \(TypeError\).*not a database error/),
    });
  });

  it("is not reported as database_failed when a row lacks a value", async () => {
    await using database = await freshPglite();
    const store = pgliteStore({ client: database.pglite });
    const failure = await store
      .setPreferences("acme", null as never, { theme: "light" })
      .catch((error: unknown) => error);
    expect(failure).not.toHaveProperty("code");
    expect(failure).toMatchObject({ message: expect.stringContaining("23502") });
  });

  it("is reported as database_failed when the database does not answer", async () => {
    await expect(complete.store.getApproval("acme", "apr_1")).rejects.toMatchObject({
      code: "database_failed",
      detail: { sqlState: "ECONNREFUSED" },
    });
  });

  it("is reported as not_migrated when the database has no tables", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await using database = await emptyPostgres(2);
    const store = postgresStore({ client: database.postgres });
    await expect(store.getApproval("acme", "apr_1")).rejects.toMatchObject({
      code: "not_migrated",
      detail: { sqlState: "42P01" },
    });
  });
});
