import { approvalsApi } from "countersign/hono";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { knownByToken, openApiWorld } from "../support/api-world.js";
import { proposeCall } from "../support/proposals.js";

let world: Awaited<ReturnType<typeof openApiWorld>>;
let host: Hono;

beforeAll(async () => {
  world = await openApiWorld();
  host = new Hono()
    .get("/own", (c) => c.text("the host's"))
    .get("/api/own", (c) => c.text("the host's, beside the API"))
    .route("/api", approvalsApi(world.countersign, { authenticate: knownByToken, rateLimit: false }));
});
afterAll(() => world[Symbol.asyncDispose]());

const ask = (path: string, { token = "finance", ...init }: RequestInit & { token?: string } = {}) =>
  host.request(path, {
    ...init,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(init.headers as Record<string, string> | undefined),
    },
  });

describe("an API that is mounted in a host's app", () => {
  it.each(["ad\u200ba", "ada ", "Zoe\u0308"])(
    "does not serve a principal with the id %j of its host",
    async (id) => {
      const authenticate = async () => ({ id, tenantId: "acme", roles: ["finance"] });
      const api = approvalsApi(world.countersign, { authenticate, rateLimit: false });
      expect((await api.request("/me")).status).toBe(500);
    },
  );

  it("sends no Strict-Transport-Security, which would bind the host's whole domain", async () => {
    for (const path of ["/api/me", "/api/healthz", "/api/openapi.json", "/api/nothing"]) {
      const { headers } = await ask(path);
      expect(headers.get("strict-transport-security")).toBeNull();
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it.each([
    ["GET", "/api/nothing"],
    ["POST", "/api/approvals//check"],
    ["DELETE", "/api/nothing/at/all"],
    ["GET", "/api/"],
  ])("answers %s %s, which it does not serve, with a 404 problem", async (method, path) => {
    const unknown = await ask(path, { method });
    expect(unknown.status).toBe(404);
    expect(unknown.headers.get("content-type")).toBe("application/problem+json");
    expect(await unknown.json()).toMatchObject({ code: "not_found", status: 404, instance: path });
    expect((await ask(path, { method, token: "nobody" })).status).toBe(401);
  });

  it("names its path in its description, wherever else it is mounted", async () => {
    const both = new Hono().route("/api", host).route("/other", host);
    for (const mount of ["/api/api", "/other/api", "/api/api"]) {
      const document = await (await both.request(`${mount}/openapi.json`)).json();
      expect(document).toMatchObject({ openapi: "3.1.0", servers: [{ url: mount }] });
    }
  });

  it("leaves the host's other paths to the host", async () => {
    expect(await (await ask("/own", { token: "nobody" })).text()).toBe("the host's");
    expect(await (await ask("/api/own", { token: "nobody" })).text()).toBe("the host's, beside the API");
    const unknown = await ask("/nothing");
    expect([unknown.status, await unknown.text()]).toEqual([404, "404 Not Found"]);
  });
});

describe("a request body that is too large", () => {
  const tooLong = JSON.stringify({ denyReasons: ["x".repeat(70_000)] });
  const streamed = () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(tooLong));
        controller.close();
      },
    });

  it.each([
    ["with its length", () => ({ body: tooLong, headers: { "content-length": String(tooLong.length) } })],
    ["in chunks", () => ({ body: streamed(), duplex: "half" as const })],
  ])("gets a 413 problem with the accepted number of bytes when it is sent %s", async (_how, sent) => {
    const response = await ask("/api/preferences", { method: "PUT", ...sent() });
    expect(response.status).toBe(413);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({
      code: "too_large",
      status: 413,
      detail: expect.stringContaining("65536 bytes"),
      maxBytes: 65_536,
    });
  });

  it("is measured against the limit of its own route", async () => {
    const [call] = await proposeCall(world.store);
    const body = JSON.stringify({ type: "deny", digest: call?.digest, reason: "x".repeat(70_000) });
    const decision = await ask(`/api/approvals/${call?.id}/decision`, { method: "POST", body });
    expect(await decision.json()).toMatchObject({ status: 400, errors: [{ field: "reason" }] });
  });
});
