import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import { describe, expect, it } from "vitest";
import { functionsRoute } from "./functions.js";

const path = "/api/inngest";
const silent = { info() {}, warn() {}, error() {}, debug() {} };

function setUp({ signed }: { signed: boolean }) {
  const client = new Inngest({
    id: "app",
    isDev: !signed,
    signingKey: "signkey-test-12ab",
    fetch: async () => Response.json({ ok: true }),
    logger: silent,
  });
  const ran: string[] = [];
  const functions = [
    client.createFunction({ id: "f", triggers: { event: "t" } }, async () => {
      ran.push("f");
    }),
  ];
  let refusals = 0;
  const route = functionsRoute({
    path,
    handler: serve({ client, functions, enableUnauthedSync: false }),
    signed,
    onFirstRefused: () => refusals++,
  });
  const event = { name: "t", data: {} };
  const ctx = { run_id: "r", attempt: 0, use_api: false, stack: { stack: [], current: 0 } };
  const body = JSON.stringify({ version: 2, event, events: [event], steps: {}, ctx });
  const call = (method: string, headers: Record<string, string> = {}, text = body) =>
    route.request(`http://127.0.0.1:3000${path}?fnId=app-f&stepId=step`, {
      method,
      headers: { host: "127.0.0.1:3000", "content-type": "application/json", ...headers },
      ...(method !== "GET" && { body: text }),
    });
  return { call, ran, refusals: () => refusals };
}

describe("/api/inngest with a signing key", () => {
  const badSignature = { "x-inngest-signature": `t=${Math.round(Date.now() / 1000)}&s=${"0".repeat(64)}` };

  it.each(["GET", "PUT", "POST"])(
    "refuses each %s without a valid signature, and reports the first refusal",
    async (method) => {
      const { call, ran, refusals } = setUp({ signed: true });
      for (const headers of [{}, badSignature]) {
        const response = await call(method, headers);
        expect([response.status, response.headers.get("content-type")]).toEqual([
          401,
          "application/problem+json",
        ]);
        expect(await response.json()).toMatchObject({ status: 401, code: "unauthenticated" });
      }
      expect([ran, refusals()]).toEqual([[], 1]);
    },
  );
});

describe("/api/inngest in development mode", () => {
  it("runs a function for an unsigned call", async () => {
    const { call, ran } = setUp({ signed: false });
    expect((await call("POST")).status).toBe(200);
    expect(ran).toEqual(["f"]);
  });

  it("answers a body that is not JSON with 400", async () => {
    const { call } = setUp({ signed: false });
    expect((await call("POST", {}, "{")).status).toBe(400);
  });
});
