import { createCountersign } from "countersign";
import { approvalsApi } from "countersign/hono";
import { Inngest } from "inngest";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { knownByToken } from "../support/api-world.js";
import { freshPostgres } from "../support/databases.js";
import { eventually } from "../support/harness.js";
import { tcpProxy } from "../support/postgres/tcp-proxy.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

/** The timeout is short, since the requests are meant to fail. */
const waitTimeoutMs = 400;

/** A pending call, and the API on a pool of two connections through a proxy. */
async function openDesk() {
  const database = await freshPostgres(2);
  const { hostname, port } = new URL(database.url);
  const proxy = await tcpProxy({ host: hostname, port: Number(port) });
  const url = new URL(database.url);
  url.port = String(proxy.port);
  const pool = postgres(url.href, { max: 2, onnotice: () => {} });
  const store = postgresStore({ client: pool, waitTimeoutMs });
  const patient = postgresStore({ client: database.postgres });
  await patient.migrate();
  const [approval] = await proposeCall(patient, { approvers: { roles: ["finance"], ids: [] } });
  if (!approval) throw new Error("unreachable");
  const inngest = new Inngest({
    id: "resources",
    isDev: true,
    baseUrl: "http://engine.invalid",
    fetch: async () => Response.json({ ids: ["sent"], status: 200 }),
  });
  const countersign = createCountersign({ inngest, store, policy: refusing, tenantId: "acme" });
  const api = approvalsApi(countersign, { authenticate: knownByToken, rateLimit: false });
  const call = async (path: string, body?: unknown) => {
    const response = await api.request(path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: "Bearer finance", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return {
    approval,
    pool,
    proxy,
    admin: database.admin,
    call,
    decide: (type = "approve") =>
      call(`/approvals/${approval.id}/decision`, { type, digest: approval.digest }),
    list: () => call("/approvals?status=pending"),
    status: async () => (await patient.getApproval("acme", approval.id))?.status,
    /** How often the audit log says that the call was approved. */
    decisions: async () =>
      (await patient.auditTrail("acme", approval.id)).filter(({ type }) => type === "approval.approved")
        .length,
    async [Symbol.asyncDispose]() {
      proxy.close();
      await pool.end({ timeout: 0 });
      await database[Symbol.asyncDispose]();
    },
  };
}

const refusing = {
  version: "1",
  profiles: [],
  evaluate: () => {
    throw new Error("Nothing is proposed here");
  },
  explain: () => {
    throw new Error("Nothing is proposed here");
  },
};

function expectUnavailable(answer: Awaited<ReturnType<Awaited<ReturnType<typeof openDesk>>["decide"]>>) {
  expect(answer).toMatchObject({ status: 503, body: { code: "database_failed" } });
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  return String(answer.body.detail);
}

/** Repeats a request until it does not answer 503, as a client does: on a slow machine one retry may fail. */
const untilAvailable = (ask: () => Promise<{ status: number }>) =>
  eventually(async () => {
    const { status } = await ask();
    return status === 503 ? undefined : status;
  }, "an answer other than 503");

describe("an exhausted pool", () => {
  it("causes a 503 in time, carries out no abandoned request later, and recovers by itself", async () => {
    await using desk = await openDesk();
    let giveBack = () => {};
    const until = new Promise<void>((resolve) => {
      giveBack = resolve;
    });
    let taken = 0;
    const takers = [1, 2].map(() =>
      desk.pool.begin(async (tx) => {
        await tx`select 1`;
        taken++;
        await until;
      }),
    );
    await expect.poll(() => taken).toBe(2);
    const answers = await Promise.all([desk.decide(), desk.list(), desk.decide()]);
    for (const answer of answers) expect(expectUnavailable(answer)).toContain("nothing was done");
    giveBack();
    await Promise.all(takers);
    expect(await untilAvailable(desk.list)).toBe(200);
    expect(await desk.status()).toBe("pending");
    expect(await untilAvailable(desk.decide)).toBe(200);
    expect(await desk.decisions()).toBe(1);
  });
});

describe("a lock that another client holds", () => {
  it("causes a 503 in time, and the decision is recorded once afterwards", async () => {
    await using desk = await openDesk();
    await desk.admin.begin(async (tx) => {
      await tx`select 1 from countersign.approvals where id = ${desk.approval.id} for update`;
      await tx`select 1 from countersign.requests where id = ${desk.approval.requestId} for update`;
      expect(expectUnavailable(await desk.decide())).toContain("55P03");
      // A reader does not wait for the lock.
      expect(await untilAvailable(desk.list)).toBe(200);
    });
    expect(await desk.status()).toBe("pending");
    expect(await untilAvailable(desk.decide)).toBe(200);
    expect(await desk.decisions()).toBe(1);
  });
});

describe("a database that stops responding", () => {
  it("causes a 503 in time, also on a connection in use, and one decision is recorded afterwards", async () => {
    await using desk = await openDesk();
    expect(await untilAvailable(desk.list)).toBe(200);
    desk.proxy.stall();
    const answers = await Promise.all([desk.decide(), desk.decide(), desk.decide(), desk.list()]);
    for (const answer of answers) expectUnavailable(answer);
    desk.proxy.flow();
    expect(await untilAvailable(desk.list)).toBe(200);
    expect(await untilAvailable(desk.decide)).toBe(200);
    expect(await untilAvailable(desk.decide)).toBe(200);
    expect(await desk.status()).toBe("approved");
    expect(await desk.decisions()).toBe(1);
  });
});
