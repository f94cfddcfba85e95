import { type Approval, ask, definePolicy, type Principal } from "countersign";
import { cookieSessionAuthenticator } from "countersign/auth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiFor, refusals } from "../support/attack.js";
import { freshPostgres } from "../support/databases.js";
import { deskTools } from "../support/desk-tools.js";
import { type Harness, openHarness } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const outsider: Principal = { id: "requester", tenantId: "acme", roles: ["sales"] };
const colleague: Principal = { id: "sam", tenantId: "acme", roles: ["sales"] };
const approvers = { roles: ["finance"], ids: [] };

describe("a decision", () => {
  let database: Awaited<ReturnType<typeof freshPostgres>>;
  let harness: Harness;
  let attack: ReturnType<typeof apiFor>["attack"];
  beforeAll(async () => {
    database = await freshPostgres();
    harness = await openHarness({
      database,
      tools: deskTools().tools,
      reply: () => ({ text: "Done." }),
      policy: definePolicy({ tools: { refund: ask() } }),
    });
    attack = apiFor(harness.countersign).attack;
  });
  afterAll(async () => {
    await harness[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const propose = async (options: Parameters<typeof proposeCall>[1] = {}): Promise<Approval> => {
    const [approval] = await proposeCall(harness.store, { approvers, ...options });
    if (!approval) throw new Error("unreachable");
    return approval;
  };
  const decide = (principal: Principal | null, { id }: Approval, body: unknown) =>
    attack(principal, { path: `/approvals/${id}/decision`, body });
  const statusOf = async ({ id }: Approval) => (await harness.store.getApproval("acme", id))?.status;

  const cases: [string, string, number, (approval: Approval) => unknown][] = [
    [
      "with a wrong digest",
      "digest_mismatch",
      409,
      (own) => decide(finance, own, { type: "approve", digest: "0".repeat(64) }),
    ],
    [
      "with another call's digest",
      "digest_mismatch",
      409,
      async (own) => decide(finance, own, { type: "approve", digest: (await propose()).digest }),
    ],
    [
      "of a type that the rule does not allow",
      "decision_not_allowed",
      409,
      (own) => decide(finance, own, { type: "respond", response: 1, digest: own.digest }),
    ],
  ];
  it.each(cases)("%s is refused and logged", async (_what, code, status, send) => {
    const approval = await propose();
    expect(await send(approval)).toMatchObject({ status, body: { code } });
    expect(await statusOf(approval)).toBe("pending");
    expect(await refusals(harness.store, approval.id)).toEqual([
      { type: "decision.refused", actorId: "finance", code },
    ]);
  });

  it("by a person who may only see the call is refused and logged", async () => {
    const approval = await propose();
    const answer = await decide(outsider, approval, { type: "approve", digest: approval.digest });
    expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(await refusals(harness.store, approval.id)).toEqual([
      { type: "decision.refused", actorId: "requester", code: "forbidden" },
    ]);
  });

  it("by a person who may not see the call gets 404 and is not logged", async () => {
    const approval = await propose();
    const answer = await decide(colleague, approval, { type: "approve", digest: approval.digest });
    expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await refusals(harness.store, approval.id)).toEqual([]);
  });

  it("on a call that is not yet open, decided, withdrawn or expired is refused and logged", async () => {
    const early = await propose({ announce: false });
    const decided = await propose();
    const withdrawn = await propose();
    const late = await propose({ timeoutMs: 60_000 });
    await decide(finance, decided, { type: "deny", digest: decided.digest });
    await harness.store.withdrawRequest(withdrawn.requestId, "run_cancelled");
    await harness.clock.advance("2m");
    const other = { ...finance, id: "other" };
    for (const [approval, status, code] of [
      [early, 409, "not_open"],
      [decided, 409, "already_decided"],
      [withdrawn, 409, "withdrawn"],
      [late, 410, "expired"],
    ] as const) {
      const before = await statusOf(approval);
      for (const type of ["approve", "deny"]) {
        const answer = await decide(other, approval, { type, digest: approval.digest });
        expect([status, code]).toEqual([answer.status, answer.body.code]);
      }
      expect(await statusOf(approval)).toBe(code === "expired" ? "expired" : before);
      expect(await refusals(harness.store, approval.id)).toEqual([
        { type: "decision.refused", actorId: "other", code },
      ]);
    }
  });

  it("cannot name its own principal, tenant or roles", async () => {
    const approval = await propose();
    for (const name of [
      "principal",
      "principalId",
      "userId",
      "decidedBy",
      "tenantId",
      "roles",
      "status",
      "__proto__",
    ]) {
      const body = `{"type":"approve","digest":"${approval.digest}","${name}":{"id":"boss"}}`;
      const answer = await decide(outsider, approval, body);
      // In JSON, __proto__ is a key like any other.
      expect([name, answer.status, answer.body.code]).toEqual([name, 400, "invalid_request"]);
    }
    const headers = { "x-user-id": "finance", "x-roles": "finance", "x-forwarded-user": "finance" };
    const path = `/approvals/${approval.id}/decision?principal=finance&roles=finance`;
    const body = { type: "approve", digest: approval.digest };
    expect((await attack(outsider, { path, body, headers })).body.code).toBe("forbidden");
    expect(await statusOf(approval)).toBe("pending");
  });

  it("without a sign-in gets the same 401 for known and unknown approvals", async () => {
    const approval = await propose();
    const body = { type: "approve", digest: approval.digest };
    const known = await decide(null, approval, body);
    expect(known).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    const unknown = await attack(null, { path: "/approvals/nothing/decision", body });
    expect(unknown.text.replace("nothing", approval.id)).toBe(known.text);
  });

  it.each(["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"])(
    "is not made by the method %s",
    async (method) => {
      const approval = await propose();
      const query = `?type=approve&digest=${approval.digest}`;
      const sent =
        method === "GET" || method === "HEAD" ? {} : { body: { type: "approve", digest: approval.digest } };
      const answer = await attack(finance, {
        method,
        path: `/approvals/${approval.id}/decision${query}`,
        ...sent,
      });
      expect(answer.status).toBe(method === "OPTIONS" ? 204 : 405);
      expect(await statusOf(approval)).toBe("pending");
    },
  );

  it("is refused unless it is a JSON object, and the last of two equal keys counts", async () => {
    const approval = await propose();
    const { digest } = approval;
    for (const body of [
      `type=approve&digest=${digest}`,
      `<decision type="approve" digest="${digest}"/>`,
      `--x\r\ncontent-disposition: form-data; name="type"\r\n\r\napprove\r\n--x--`,
      `{"type":"approve","digest":"${digest}"`,
      `[{"type":"approve","digest":"${digest}"}]`,
      `"approve"`,
      "",
    ]) {
      const answer = await decide(finance, approval, body);
      expect([body, answer.status, answer.body.code]).toEqual([body, 400, "invalid_request"]);
    }
    // The last of two equal keys counts, both for the check and for the decision.
    const twice = `{"type":"approve","digest":"${digest}","digest":"${"0".repeat(64)}"}`;
    expect((await decide(finance, approval, twice)).body.code).toBe("digest_mismatch");
    expect(await statusOf(approval)).toBe("pending");
    const denied = `{"type":"approve","digest":"${digest}","type":"deny"}`;
    expect((await decide(finance, approval, denied)).body).toMatchObject({ status: "denied" });
  });

  it("with a session cookie is accepted from the same origin only", async () => {
    const session = cookieSessionAuthenticator({
      keys: ["a-session-key-that-is-long-enough-for-it"],
      allowedOrigins: ["https://approvals.example.com"],
    });
    const browser = apiFor(harness.countersign, { authenticate: session.authenticate });
    const cookie = (await session.signIn(finance)).split(";")[0] ?? "";
    const approval = await propose();
    const path = `https://approvals.example.com/approvals/${approval.id}/decision`;
    const body = { type: "approve", digest: approval.digest };
    const send = (headers: Record<string, string>, method = "POST") =>
      browser.attack(null, { path, body, method, headers: { cookie, ...headers } });
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "https://approvals.example.com.evil.example" },
      { origin: "http://approvals.example.com" },
      { origin: "https://evil.example", "content-type": "text/plain" },
      { origin: "https://evil.example", "content-type": "application/x-www-form-urlencoded" },
      { origin: "https://evil.example", "x-http-method-override": "GET" },
      { "sec-fetch-site": "cross-site" },
      {},
    ] as Record<string, string>[]) {
      const answer = await send(headers);
      expect([headers, answer.status]).toEqual([headers, 401]);
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    }
    const preflight = await browser.attack(null, {
      path,
      method: "OPTIONS",
      headers: { cookie, origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
    expect(await statusOf(approval)).toBe("pending");
    expect((await send({ origin: "https://approvals.example.com" })).status).toBe(200);
  });
});
