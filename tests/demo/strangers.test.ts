import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { demoInstallation } from "../support/demo/demo-process.js";
import { type RawRequest, sendRaw } from "../support/http/raw-request.js";

const json = { "content-type": "application/json" };
const MiB = 1024 * 1024;

type Installation = Awaited<ReturnType<typeof demoInstallation>>;
let demo: Installation;

async function send(path: string, request: RawRequest = {}, to = demo) {
  const { status, type, body } = await sendRaw(`${to.url}${path}`, request);
  return { status, type, body: JSON.parse(body) as { status?: number; code?: string; error?: string } };
}

const problem = (status: number, code: string) => ({
  status,
  type: "application/problem+json",
  body: expect.objectContaining({ status, code }),
});

const registration = (appName: string) =>
  JSON.stringify({ appName, url: `${demo.url}/api/inngest`, functions: [] });

/** A call of a function as the engine makes it. */
const call = {
  headers: json,
  body: JSON.stringify({
    version: 2,
    event: { name: "inngest/function.cancelled", data: { run_id: "some-run" } },
    events: [{ name: "inngest/function.cancelled", data: { run_id: "some-run" } }],
    steps: {},
    ctx: { run_id: "r", attempt: 0, use_api: false, stack: { stack: [], current: 0 } },
  }),
};
const withdrawal = "/api/inngest?fnId=countersign-demo-countersign-withdrawal&stepId=step";

/** Checks that the agent, its engine and its model work: asks for a refund and approves it. */
async function refund(installation: Installation) {
  const { threadId } = await installation.say("Please refund order A-1001");
  const { id, digest } = await installation.pending();
  await installation.call("finance", `/approvals/${id}/decision`, { type: "approve", digest });
  await installation.threadDone(threadId);
  expect(await installation.effects()).toMatchObject([{ toolName: "issue_refund", approvalId: id }]);
}

describe("the demo with fresh data", () => {
  beforeAll(async () => {
    demo = await demoInstallation();
    await demo.start();
  });
  afterAll(() => demo[Symbol.asyncDispose]());

  it.each([
    ["Origin: https://evil.example", { origin: "https://evil.example" }],
    ["Sec-Fetch-Site: cross-site", { "sec-fetch-site": "cross-site" }],
    ["Sec-Fetch-Site: same-site", { "sec-fetch-site": "same-site" }],
  ])("refuses every request that changes something with %s", async (_, headers) => {
    const routes = [
      ["POST", "/fn/register"],
      ["POST", "/e/key"],
      ["POST", "/v1/checkpoint/some-run/async"],
      ["DELETE", "/v1/runs/some-run"],
      ["POST", withdrawal],
      ["PUT", "/api/inngest"],
      ["POST", "/model/v1/chat/completions"],
      ["POST", "/api/chat"],
      ["POST", "/api/session"],
      ["DELETE", "/api/session"],
      ["POST", "/api/approvals/some-id/decision"],
    ] as const;
    for (const [method, path] of routes) {
      const answer = await send(path, {
        method,
        headers: { ...json, authorization: "Bearer demo-finance", ...headers },
        ...(method === "DELETE" ? {} : { body: "{}" }),
      });
      expect([path, answer]).toEqual([path, problem(403, "foreign_origin")]);
    }
  });

  it("refuses text/plain, which pages of other sites can send without a preflight request", async () => {
    for (const path of [
      "/fn/register",
      "/e/key",
      withdrawal,
      "/model/v1/messages",
      "/api/session",
      "/api/chat",
    ]) {
      const headers = { "content-type": "text/plain", authorization: "Bearer demo-finance" };
      expect([path, await send(path, { headers, body: "{}" })]).toEqual([
        path,
        problem(415, "unsupported_media_type"),
      ]);
    }
  });

  it("refuses foreign host names on every route", async () => {
    for (const path of ["/inbox", "/api/approvals", "/health", "/v1/runs/x", "/api/inngest"]) {
      const answer = await send(path, { method: "GET", headers: { host: "evil.example:3000" } });
      expect([path, answer]).toEqual([path, problem(403, "unexpected_host")]);
    }
    expect((await send("/e/key", { headers: { ...json, host: "10.0.0.7" }, body: "{}" })).status).toBe(403);
    expect((await send("/health", { method: "GET", headers: { host: "localhost:1234" } })).status).toBe(200);
    expect((await send("/health", { method: "GET", headers: { host: "a/b" } })).type).toBe(
      "application/problem+json",
    );
  });

  it("refuses requests to its engine without the keys", async () => {
    for (const app of ["evil", "countersign-demo"]) {
      expect((await send("/fn/register", { headers: json, body: registration(app) })).status).toBe(401);
    }
    const event = JSON.stringify({ name: "demo/message.received", data: { threadId: "t", message: "Hi" } });
    expect((await send("/e/NO_EVENT_KEY_SET", { headers: json, body: event })).status).toBe(401);
    expect((await send("/v1/runs/some-run", { method: "GET" })).status).toBe(401);
    expect((await send("/v1/runs/some-run", { method: "DELETE" })).status).toBe(401);
    expect((await send("/v1/events/some-event/runs", { method: "GET" })).status).toBe(401);
  });

  it("accepts calls of its functions only from its engine", async () => {
    const signature = `t=${Math.round(Date.now() / 1000)}&s=${"0".repeat(64)}`;
    for (const headers of [json, { ...json, "x-inngest-signature": signature }]) {
      expect(await send(withdrawal, { ...call, headers })).toEqual(problem(401, "unauthenticated"));
      expect(await send("/api/inngest", { method: "PUT", headers, body: "{}" })).toEqual(
        problem(401, "unauthenticated"),
      );
    }
    expect(await send("/api/inngest", { method: "GET" })).toEqual(problem(401, "unauthenticated"));
    expect(demo.output().match(/Refused a call of \/api\/inngest/g)).toHaveLength(1);
    expect(demo.output()).not.toContain("Signature validation failed");
  });

  it("answers a body of 30 MB or more with 413", async () => {
    const body = JSON.stringify({ name: "demo/message.received", data: { text: "x".repeat(30_000_000) } });
    expect((await send("/e/key", { headers: json, body })).status).toBe(413);
    const authorization = "Bearer demo-requester";
    expect((await send("/api/chat", { headers: { ...json, authorization }, body })).status).toBe(413);
    expect((await send("/api/session", { headers: { ...json, origin: demo.url }, body })).status).toBe(413);
    expect(
      (await send("/model/v1/messages", { headers: json, body: `${body}${" ".repeat(5 * MiB)}` })).status,
    ).toBe(413);
  });

  it("reads no body without a sign-in, and no more of any body than the limit", async () => {
    const chunksOf = (bytes: number) => {
      const sent = { bytes: 0 };
      const chunk = Buffer.alloc(64 * 1024, " ");
      const body = (function* () {
        for (; sent.bytes < bytes; sent.bytes += chunk.length) yield chunk;
      })();
      return { body, sent };
    };
    // The server cuts off a client that keeps sending, or answers it. Either way, it has not read the whole body.
    const statusOf = async (path: string, headers: Record<string, string> = json) => {
      const { body, sent } = chunksOf(2000 * MiB);
      const status = await send(path, { headers: { ...json, ...headers }, body }).then(
        (answer) => answer.status,
        (error: NodeJS.ErrnoException) => error.code,
      );
      expect(sent.bytes).toBeLessThan(200 * MiB);
      return status;
    };
    const requester = { authorization: "Bearer demo-requester", origin: demo.url };
    for (const path of [
      "/api/approvals/some-id/decision",
      "/api/chat",
      "/e/key",
      "/fn/register",
      withdrawal,
    ]) {
      expect([path, [401, "ECONNRESET", "EPIPE"]]).toEqual([
        path,
        expect.arrayContaining([await statusOf(path)]),
      ]);
    }
    for (const path of ["/api/chat", "/api/approvals/some-id/decision", "/api/session"]) {
      expect([path, [413, "ECONNRESET", "EPIPE"]]).toEqual([
        path,
        expect.arrayContaining([await statusOf(path, requester)]),
      ]);
    }
  });

  it.each(["/", "/inbox", "/api/approvals", "/api/inngest", "/nowhere"])(
    "answers TRACE %s with 405",
    async (path) => {
      expect(await send(path, { method: "TRACE" })).toEqual(problem(405, "method_not_allowed"));
    },
  );

  it.each(["/api/approvals//check", "/nowhere", "/api//approvals"])(
    "answers POST %s with 404 and a problem",
    async (path) => {
      const headers = { ...json, authorization: "Bearer demo-finance" };
      expect(await send(path, { headers, body: "{}" })).toEqual(problem(404, "not_found"));
    },
  );

  it("still refunds after an approval, without an error in its log", async () => {
    await refund(demo);
    expect(demo.output()).not.toMatch(/Error|ERR_/);
  });
});

describe("the demo with INNGEST_SIGNING_KEY and HOST=0.0.0.0", () => {
  const key = "ab".repeat(32);
  let database: Awaited<ReturnType<typeof freshPostgres>>;
  let opened: Awaited<ReturnType<typeof demoInstallation>>;
  beforeAll(async () => {
    database = await freshPostgres(1);
    opened = await demoInstallation({
      ...{ DATABASE_URL: database.url, INNGEST_SIGNING_KEY: key, HOST: "0.0.0.0" },
    });
    await opened.start();
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await database?.[Symbol.asyncDispose]();
  });

  it("answers an unsigned call of its functions with 401, and refunds after an approval", async () => {
    expect(await send(withdrawal, call, opened)).toEqual(problem(401, "unauthenticated"));
    const headers = { authorization: `Bearer ${key}` };
    expect((await send("/v1/runs/none", { method: "GET", headers }, opened)).status).toBe(404);
    await refund(opened);
  });

  it("warns that it is open to the network, and refuses foreign host names", async () => {
    await opened.logged(/WARNING: HOST=0\.0\.0\.0 opens the demo to the network/);
    const status = async (host: string) =>
      (await send("/health", { method: "GET", headers: { host } }, opened)).status;
    expect([await status("192.168.0.10:3000"), await status("evil.example")]).toEqual([200, 403]);
  });
});
