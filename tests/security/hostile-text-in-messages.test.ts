import { allow, ask, createCountersign, definePolicy, deny, type Principal } from "countersign";
import { approvalsApi } from "countersign/hono";
import { Inngest } from "inngest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { defaultPolicy } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

describe("the API", () => {
  let database: Awaited<ReturnType<typeof freshPostgres>>;
  let store: Store;
  let approval: Awaited<ReturnType<typeof proposeCall>>[number];
  let request: (path: string, init?: RequestInit) => Promise<{ status: number; body: ProblemBody }>;
  const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };

  beforeAll(async () => {
    database = await freshPostgres();
    store = postgresStore({ client: database.postgres });
    await store.migrate();
    const inngest = new Inngest({
      id: "hostile",
      isDev: true,
      fetch: async () => Response.json({ ids: ["1"], status: 200 }),
    });
    const countersign = createCountersign({ inngest, store, policy: defaultPolicy, tenantId: "acme" });
    const api = approvalsApi(countersign, {
      authenticate: ({ headers }) => (headers.get("authorization") === "none" ? null : finance),
    });
    request = async (path, init) => {
      const response = await api.request(path, init);
      return { status: response.status, body: (await response.json()) as ProblemBody };
    };
    const [waiting] = await proposeCall(store);
    if (!waiting) throw new Error("unreachable");
    approval = waiting;
  });

  afterAll(() => database[Symbol.asyncDispose]());

  const decision = (body: unknown) => ({
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

  it.each([
    "/approvals/%00",
    "/approvals/apr%00x",
    "/approvals/apr%00x%ff",
    "/approvals/%00%ff",
    "/approvals/%2500",
    "/approvals/%ed%a0%80",
    "/threads/%00",
    "/threads/thr%00x%ff",
  ])("answers 404 to an id that cannot exist: GET %s", async (path) => {
    expect(await request(path)).toMatchObject({ status: 404, body: { status: 404 } });
  });

  it.each(["/approvals/%00/decision", "/approvals/apr%00x%ff/decision"])(
    "answers 404 to an id that cannot exist: POST %s",
    async (path) => {
      const answer = await request(path, decision({ type: "approve", digest: "x" }));
      expect(answer).toMatchObject({ status: 404, body: { code: "not_found", status: 404 } });
    },
  );

  it.each([
    "/approvals?threadId=%00",
    "/approvals?threadId=a%00b",
    `/approvals?cursor=${Buffer.from('["2026-01-01T00:00:00.000Z","a\\u0000"]').toString("base64url")}`,
    `/approvals?cursor=${Buffer.from('["2026-01-01T00:00:00.000Z"]').toString("base64url")}`,
    "/approvals?status=%00",
    "/approvals?limit=%00",
    "/threads?limit=%00",
  ])("answers 400 to a query that cannot match: %s", async (path) => {
    expect(await request(path)).toMatchObject({
      status: 400,
      body: { code: "invalid_request", status: 400 },
    });
  });

  it.each(["no\u0000body", "\u0000"])("answers 400 to a reason with a NUL character", async (reason) => {
    const answer = await request(
      `/approvals/${approval.id}/decision`,
      decision({ type: "deny", digest: approval.digest, reason }),
    );
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: "reason" }], status: 400 } });
  });

  it("answers 409 to a wrong digest, and 400 to one with invalid characters", async () => {
    for (const [digest, status, code] of [
      ["💥", 409, "digest_mismatch"],
      ["' or true --", 409, "digest_mismatch"],
      ["\u0000", 400, "invalid_request"],
      ["\ud800", 400, "invalid_request"],
    ]) {
      const answer = await request(`/approvals/${approval.id}/decision`, decision({ type: "deny", digest }));
      expect(answer).toMatchObject({ status, body: { code, status } });
    }
  });

  it("gives every problem the status of its response", async () => {
    const path = `/approvals/${approval.id}/decision`;
    const [decided] = await proposeCall(store);
    const [unannounced] = await proposeCall(store, { announce: false });
    const [foreign] = await proposeCall(store, { approvers: { roles: ["lead"], ids: [] } });
    if (!decided || !unannounced || !foreign) throw new Error("unreachable");
    const decide = (one: typeof approval, type: string) =>
      request(`/approvals/${one.id}/decision`, decision({ type, digest: one.digest }));
    await decide(decided, "approve");
    await store.withdrawRun(decided.runId ?? "", "run_cancelled");
    const answers = [
      await request("/approvals", { headers: { authorization: "none" } }),
      await request("/approvals/nothing"),
      await request("/threads/nothing"),
      await request(path, decision({ type: "approve", digest: "other" })),
      await request(path, decision({ type: "approve" })),
      await request(path, { method: "POST", body: " ".repeat(20 * 1024 * 1024 + 1) }),
      await request(path, decision({ type: "respond", digest: approval.digest, response: 1 })),
      await decide(decided, "deny"),
      await decide(unannounced, "deny"),
      await decide(foreign, "deny"),
      await request("/approvals?limit=no"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([
      401, 404, 404, 409, 400, 413, 409, 409, 409, 404, 400,
    ]);
    for (const { status, body } of answers) {
      expect(body.status).toBe(status);
      expect(body.code).toEqual(expect.any(String));
    }
  });
});

interface ProblemBody {
  status: number;
  code: string;
}

describe("a rule with a wildcard", () => {
  const policy = definePolicy({ tools: { "*": allow(), "admin_*": deny("Never"), "files-*-write": ask() } });
  it.each([
    ["admin_x", "deny"],
    ["admin_x/y", "deny"],
    ["admin_/", "deny"],
    ["admin_x/../y", "deny"],
    ["admin_\n/x", "deny"],
    ["files-a/b-write", "ask"],
    ["user_x/y", "allow"],
  ])("matches tool names with any characters: %j gets the verdict %s", (toolName, verdict) => {
    expect(policy.evaluate({ toolName, input: {} }).kind).toBe(verdict);
  });
});
