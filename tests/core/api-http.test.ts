import { randomBytes } from "node:crypto";
import { cookieSessionAuthenticator } from "countersign/auth";
import { approvalsApi } from "countersign/hono";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { knownByToken, openApiWorld } from "../support/api-world.js";
import { emptyPostgres } from "../support/databases.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

let world: Awaited<ReturnType<typeof openApiWorld>>;
beforeAll(async () => {
  world = await openApiWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

async function waitingCall() {
  const [call] = await proposeCall(world.store, { threadId: "own" });
  if (!call) throw new Error("unreachable");
  return call;
}

const decision = (digest: string) => JSON.stringify({ type: "deny", digest });

describe("an answer that the client already has", () => {
  it("is a 304 without a body until its content changes, apart from the server time", async () => {
    const call = await waitingCall();
    for (const path of [`/approvals/${call.id}`, "/approvals?threadId=own", "/approvals/counts"]) {
      const first = await world.request("finance", path);
      const tag = first.headers.get("etag") ?? "";
      expect(tag).toMatch(/^W\/"[\w-]{32}"$/);
      const known = (value: string) =>
        world.request("finance", path, { headers: { "if-none-match": value } });
      const same = await known(`"other", ${tag}`);
      expect([same.status, await same.text(), same.headers.get("etag")]).toEqual([304, "", tag]);
      expect((await known('W/"other"')).status).toBe(200);
      // Another person gets another answer.
      const others = await world.request("lead", "/me", { headers: { "if-none-match": tag } });
      expect(others.status).toBe(200);
    }
    // An hour later, only the server time differs.
    const hourLater = { now: async () => new Date(Date.now() + 3_600_000) };
    const late = approvalsApi(
      { ...world.countersign, store: interceptedStore(world.store, hourLater) },
      { authenticate: knownByToken },
    );
    for (const path of ["/approvals?threadId=own", "/approvals/counts"]) {
      const now = await world.request("finance", path);
      const later = await late.request(path, { headers: { authorization: "Bearer finance" } });
      expect(later.headers.get("etag")).toBe(now.headers.get("etag"));
      const times = [await now.json(), await later.json()].map(({ serverTime }) => Date.parse(serverTime));
      expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(3_000_000);
    }
    const before = (await world.request("finance", `/approvals/${call.id}`)).headers.get("etag") ?? "";
    const body = decision(call.digest);
    await world.request("finance", `/approvals/${call.id}/decision`, { method: "POST", body });
    const after = await world.request("finance", `/approvals/${call.id}`, {
      headers: { "if-none-match": before },
    });
    expect(after.status).toBe(200);
    expect(after.headers.get("etag")).not.toBe(before);
  });
});

describe("a route", () => {
  it("refuses other methods with a 405 that lists the allowed ones", async () => {
    for (const [method, path, allow] of [
      ["DELETE", "/approvals", "GET, HEAD, OPTIONS"],
      ["GET", "/approvals/x/decision", "OPTIONS, POST"],
      ["POST", "/preferences", "GET, HEAD, OPTIONS, PUT"],
      ["PUT", "/events", "GET, HEAD, OPTIONS"],
    ] as const) {
      const response = await world.request("finance", path, { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
      expect(await response.json()).toMatchObject({ code: "method_not_allowed", status: 405 });
      const options = await world.request("finance", path, { method: "OPTIONS" });
      expect([options.status, options.headers.get("allow")]).toEqual([204, allow]);
    }
    expect((await world.request("finance", "/nothing")).status).toBe(404);
    expect((await world.request("nobody", "/approvals", { method: "DELETE" })).status).toBe(401);
  });

  it("answers HEAD like GET, without a body and without opening a stream", async () => {
    for (const path of ["/approvals", "/me", "/healthz"]) {
      const response = await world.request("finance", path, { method: "HEAD" });
      expect([response.status, await response.text()]).toEqual([200, ""]);
      expect(response.headers.get("etag")).not.toBeNull();
    }
    // More streams than one principal may have open at a time.
    for (let count = 0; count < 25; count++) {
      expect((await world.request("finance", "/events", { method: "HEAD" })).status).toBe(200);
    }
  });
});

describe("a request body", () => {
  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])(
    "of another content type is refused with 415: %s",
    async (type) => {
      const call = await waitingCall();
      const response = await world.request("finance", `/approvals/${call.id}/decision`, {
        method: "POST",
        body: decision(call.digest),
        headers: { "content-type": type },
      });
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({ code: "unsupported_media_type" });
      expect((await world.store.getApproval("acme", call.id))?.status).toBe("pending");
    },
  );

  it.each(["application/json; charset=utf-8", "Application/JSON", "application/vnd.desk+json"])(
    "of any JSON content type is accepted: %s",
    async (type) => {
      const call = await waitingCall();
      const response = await world.request("finance", `/approvals/${call.id}/decision`, {
        method: "POST",
        body: decision(call.digest),
        headers: { "content-type": type },
      });
      expect(response.status).toBe(200);
    },
  );
});

describe("the rate limit", () => {
  const limited = (authenticate = knownByToken) =>
    approvalsApi(world.countersign, {
      authenticate,
      rateLimit: { perMinute: 3 },
      clientAddress: (request) => request.headers.get("x-real-ip") ?? undefined,
    });
  const as = (token: string, address?: string) => ({
    headers: { authorization: `Bearer ${token}`, ...(address ? { "x-real-ip": address } : {}) },
  });

  it("counts per principal, and answers further requests with 429 and the time to wait", async () => {
    const api = limited();
    for (const left of [2, 1, 0]) {
      const response = await api.request("/me", as("finance"));
      expect(response.status).toBe(200);
      expect(response.headers.get("ratelimit-policy")).toBe('"principal";q=3;w=60');
      expect(response.headers.get("ratelimit")).toMatch(new RegExp(`^"principal";r=${left};t=\\d+$`));
    }
    const refused = await api.request("/me", as("finance"));
    expect(refused.status).toBe(429);
    expect(refused.headers.get("content-type")).toBe("application/problem+json");
    const wait = Number(refused.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(await refused.json()).toMatchObject({ code: "too_many_requests", retryAfter: wait });
    expect((await api.request("/me", as("lead"))).status).toBe(200);
    expect((await api.request("/me", as("stranger"))).status).toBe(200);
    expect((await api.request("/healthz", as("finance"))).status).toBe(200);
  });

  it("blocks an address after 60 failed sign-ins, without authenticating even a valid token", async () => {
    const authenticate = vi.fn(knownByToken);
    const api = limited(authenticate);
    for (let count = 0; count < 60; count++) {
      expect((await api.request("/me", as("wrong", "203.0.113.7"))).status).toBe(401);
    }
    authenticate.mockClear();
    expect((await api.request("/me", as("finance", "203.0.113.7"))).status).toBe(429);
    expect(authenticate).not.toHaveBeenCalled();
    expect((await api.request("/me", as("finance", "203.0.113.8"))).status).toBe(200);
    expect((await api.request("/me", as("wrong"))).status).toBe(401);
  });

  it("can be turned off, and must otherwise be a positive integer", async () => {
    const make = (rateLimit: { perMinute: number } | false) =>
      approvalsApi(world.countersign, { authenticate: knownByToken, rateLimit });
    const response = await make(false).request("/me", as("finance"));
    expect([response.status, response.headers.get("ratelimit")]).toEqual([200, null]);
    for (const perMinute of [0, -1, 1.5, Number.NaN]) expect(() => make({ perMinute })).toThrow(/rateLimit/);
  });
});

it("the API sends headers against MIME sniffing, framing, referrers and caching", async () => {
  for (const path of ["/me", "/approvals/unknown"]) {
    const { headers } = await world.request("finance", path);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("SAMEORIGIN");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-store");
  }
});

it("a page of another site cannot decide with the cookie of a signed-in person", async () => {
  const refusals: string[] = [];
  const session = cookieSessionAuthenticator({
    keys: [randomBytes(32)],
    onRefusal: (reason) => refusals.push(reason),
  });
  const app = new Hono().route(
    "/api",
    approvalsApi(world.countersign, { authenticate: session.authenticate }),
  );
  const signedIn = await session.signIn(
    { id: "finance", tenantId: "acme", roles: ["finance"] },
    new Request("https://desk.example/sign-in"),
  );
  const cookie = signedIn.split(";")[0] ?? "";
  const call = await waitingCall();
  const decide = (headers: Record<string, string>) =>
    app.request(`https://desk.example/api/approvals/${call.id}/decision`, {
      method: "POST",
      body: decision(call.digest),
      headers: { cookie, "content-type": "application/json", ...headers },
    });
  for (const headers of [
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    {},
  ]) {
    expect((await decide(headers)).status).toBe(401);
    expect(refusals.splice(0)).toEqual(["foreign_origin"]);
  }
  expect((await world.store.getApproval("acme", call.id))?.status).toBe("pending");
  const read = await app.request("https://desk.example/api/me", {
    headers: { cookie, origin: "https://evil.example" },
  });
  expect([read.status, read.headers.get("access-control-allow-origin")]).toEqual([200, null]);
  expect((await decide({ origin: "https://desk.example" })).status).toBe(200);
});

describe("the health routes", () => {
  it("need no sign-in", async () => {
    expect(await (await world.api.request("/healthz")).json()).toEqual({ status: "up" });
    expect(await (await world.api.request("/readyz")).json()).toEqual({ status: "ready" });
  });

  it("report not ready with 503 before the migrations or without a database, and still healthy", async () => {
    await using database = await emptyPostgres(2);
    const store = postgresStore({ url: database.url });
    const api = approvalsApi({ ...world.countersign, store }, { authenticate: knownByToken });
    const ready = async () => {
      const response = await api.request("/readyz");
      return [response.status, (await response.json()).code];
    };
    expect(await ready()).toEqual([503, "not_migrated"]);
    await expect(store.getApproval("acme", "apr_1")).rejects.toMatchObject({
      code: "not_migrated",
      message: expect.stringContaining("npx countersign migrate"),
      detail: { verb: "getApproval" },
    });
    expect((await store.migrate()).at(0)).toBe("0000_init");
    expect(await store.migrate()).toEqual([]);
    expect(await ready()).toEqual([200, undefined]);
    await database.admin`delete from drizzle.countersign_migrations where id = (select max(id) from drizzle.countersign_migrations)`;
    expect(await ready()).toEqual([503, "not_migrated"]);
    await store.close();
    expect(await ready()).toEqual([503, "database_failed"]);
    expect((await api.request("/healthz")).status).toBe(200);
  });
});
