import { CountersignError, createCountersign, definePolicy } from "countersign";
import { approvalsApi } from "countersign/hono";
import { pgliteStore } from "countersign/pglite";
import { Inngest } from "inngest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { type Harness, openHarness } from "../support/harness.js";

const refund = { toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] };

const grantFor = (expiresIn: string) => ({ scope: "thread", arguments: "any", expiresIn });

describe("the approvals API", () => {
  let harness: Harness;
  let approval: Awaited<ReturnType<Harness["pending"]>>[number];
  let database: Awaited<ReturnType<typeof freshPostgres>>;

  beforeAll(async () => {
    database = await freshPostgres();
    harness = await openHarness({ database, tools: deskTools().tools, reply: inTurns(refund) });
    await harness.say("Refund A-1");
    const [waiting] = await harness.pending(1);
    if (!waiting) throw new Error("unreachable");
    approval = waiting;
  });

  afterAll(async () => {
    await harness[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const post = (body: unknown, token = "finance", id = approval.id) =>
    harness.call(token, `/approvals/${id}/decision`, { method: "POST", body });

  it("refuses a wrong token with 401", async () => {
    for (const path of ["/approvals", `/approvals/${approval.id}`, "/threads", "/threads/x"]) {
      expect(await harness.call("wrong", path)).toMatchObject({
        status: 401,
        body: { code: "unauthenticated" },
      });
    }
    expect((await post({ type: "approve", digest: approval.digest }, "wrong")).status).toBe(401);
  });

  it("refuses an unknown id with 404", async () => {
    expect(await harness.call("finance", "/approvals/apr_nothing")).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    expect((await post({ type: "approve", digest: "x" }, "finance", "apr_nothing")).status).toBe(404);
    expect((await harness.call("finance", "/threads/nothing")).status).toBe(404);
  });

  it("refuses another tenant's approval and thread with 404, and does not list them", async () => {
    expect((await harness.call("stranger", `/approvals/${approval.id}`)).status).toBe(404);
    expect((await post({ type: "approve", digest: approval.digest }, "stranger")).status).toBe(404);
    expect((await harness.call("stranger", `/threads/${approval.threadId}`)).status).toBe(404);
    expect((await harness.call("stranger", "/approvals")).body.items).toEqual([]);
  });

  it("refuses with 403 a decision by a person who may only see the call", async () => {
    expect((await harness.call("requester", `/approvals/${approval.id}`)).status).toBe(200);
    expect(await post({ type: "approve", digest: approval.digest }, "requester")).toMatchObject({
      status: 403,
      body: { code: "forbidden", approvers: { roles: ["finance", "lead"] } },
    });
  });

  it.each([
    ["type", { digest: "x" }],
    ["type", { type: "maybe", digest: "x" }],
    ["digest", { type: "approve" }],
    ["digest", { type: "approve", digest: 7 }],
    ["reason", { type: "deny", digest: "x", reason: "r".repeat(2001) }],
    ["userId", { type: "approve", digest: "x", userId: "boss" }],
    ["body", ["approve"]],
    ["grant.expiresIn", { type: "approve", digest: "x", grant: grantFor("") }],
    ["grant.expiresIn", { type: "approve", digest: "x", grant: grantFor("9".repeat(101)) }],
  ])("refuses a malformed body with 400 and names %s", async (field, body) => {
    const answer = await post(body);
    expect(answer).toMatchObject({ status: 400, body: { code: "invalid_request", errors: [{ field }] } });
  });

  it("refuses a body that is not JSON with 400", async () => {
    const response = await approvalsApi(harness.countersign, {
      authenticate: () => ({ id: "finance", tenantId: "acme", roles: ["finance"] }),
    }).request(`/approvals/${approval.id}/decision`, {
      method: "POST",
      body: "{oops",
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({ errors: [{ field: "body" }] });
  });

  it.each(["limit=0", "limit=many", "status=open", "cursor=abc"])(
    "refuses an invalid query with 400: %s",
    async (query) => {
      const field = query.split("=")[0];
      expect(await harness.call("finance", `/approvals?${query}`)).toMatchObject({
        status: 400,
        body: { errors: [{ field }] },
      });
    },
  );

  it("refuses a wrong digest with 409, and decides nothing", async () => {
    const answer = await post({ type: "approve", digest: "0".repeat(64) });
    expect(answer).toMatchObject({ status: 409, body: { code: "digest_mismatch" } });
    expect((await harness.approval(approval.id)).status).toBe("pending");
  });

  it("refuses a second decision with 409, and names the first decider", async () => {
    expect((await harness.decide(approval, "deny", "lead")).status).toBe(200);
    expect(await harness.decide(approval, "approve", "finance")).toMatchObject({
      status: 409,
      body: { code: "already_decided", decidedBy: "lead", decision: "deny" },
    });
  });

  it("cannot be created without authenticate", () => {
    const withoutAuthenticate = () => approvalsApi(harness.countersign, {} as never);
    expect(withoutAuthenticate).toThrow(/authenticate/);
  });
});

it("pages of approvals neither miss nor repeat one", async () => {
  await using database = await freshPostgres();
  const calls = Array.from({ length: 7 }, (_, index) => ({
    name: "refund",
    input: { id: `A-${index}`, amount: index },
  }));
  await using harness = await openHarness({
    database,
    tools: deskTools().tools,
    reply: inTurns({ toolCalls: calls }),
  });
  await harness.say("Refund all");
  await harness.pending(7);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const { body } = await harness.call(
      "finance",
      `/approvals?status=pending&limit=3${cursor ? `&cursor=${cursor}` : ""}`,
    );
    seen.push(...body.items.map((item: { id: string }) => item.id));
    cursor = body.nextCursor;
  } while (cursor);
  expect(seen).toHaveLength(7);
  expect(new Set(seen).size).toBe(7);
});

it("createCountersign refuses an invalid timeout, and names the option", () => {
  const options = {
    inngest: new Inngest({ id: "errors", isDev: true }),
    store: pgliteStore(),
    policy: definePolicy({ tools: {} }),
  };
  for (const timeout of ["soon", "10ms", "400 days", "", "9".repeat(101)]) {
    let failure: unknown;
    try {
      createCountersign({ ...options, timeout });
    } catch (error) {
      failure = error;
    }
    expect(CountersignError.isInstance(failure) && failure.message).toContain("timeout");
  }
});
