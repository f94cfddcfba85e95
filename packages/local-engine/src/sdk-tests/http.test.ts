import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { PGlite } from "@electric-sql/pglite";
import { Inngest } from "inngest";
import { serve } from "inngest/node";
import { afterEach, expect, test } from "vitest";
import { createLocalEngine, createTestClock, type LocalEngine, type LocalEngineOptions } from "../index.js";
import { listenWithFetch } from "../testing/http-server.js";
import { emptyPglite } from "../testing/shared-pglite.js";

const cleanups: Array<() => Promise<unknown> | unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const SIGNING_KEY = "signkey-test-0123456789abcdef";
const silent = { info() {}, warn() {}, error() {}, debug() {} };

async function startEngine(
  database: PGlite,
  options: Pick<LocalEngineOptions, "signingKey" | "eventKeys" | "apps"> = {},
) {
  const clock = createTestClock();
  const engine = await createLocalEngine({ database: { pglite: database }, clock, ...options });
  const { url, close } = await listenWithFetch((request) => engine.fetch(request));
  cleanups.push(() => engine.stop(), close);
  return { engine, clock, url };
}

async function listen(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

async function startApp(
  baseUrl: string,
  client: Partial<ConstructorParameters<typeof Inngest>[0]>,
  server?: Server,
) {
  const inngest = new Inngest({ id: "http-app", baseUrl, logger: silent, ...client });
  const f = inngest.createFunction({ id: "f", triggers: { event: "t/start" } }, async ({ step, event }) => {
    const a = await step.run("a", () => Number(event.data.n) + 1);
    const [resolved, b] = await Promise.all([
      step.waitForEvent("wait", { event: "t/resolved", timeout: "30m" }),
      step.run("b", () => a * 2),
    ]);
    return { a, b, resolved: resolved?.data ?? null };
  });
  const listening = server ?? (await listen());
  listening.on("request", serve({ client: inngest, functions: [f] }));
  const close = () => new Promise((resolve) => listening.close(resolve).closeAllConnections());
  cleanups.push(close);
  return { inngest, url: `${originOf(listening)}/api/inngest`, close };
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function runsOf(engine: LocalEngine, id: string | undefined, headers: Record<string, string> = {}) {
  const response = await engine.fetch(`${engine.baseUrl}/v1/events/${id}/runs?at=${performance.now()}`, {
    headers,
  });
  return ((await response.json()) as { data: Array<{ status: string; output: unknown }> }).data;
}

test("an app registers itself over HTTP, and the engine still knows it after a restart", async () => {
  const database = await emptyPglite();
  const server = await listen();
  const apps = { "http-app": originOf(server) };
  const first = await startEngine(database, { apps });
  const app = await startApp(first.url, { isDev: true }, server);
  await first.engine.start();
  expect((await fetch(app.url, { method: "PUT" })).status).toBe(200);
  const { ids } = await app.inngest.send({ name: "t/start", data: { n: 1 } });
  await first.engine.idle();
  await first.engine.stop();

  const second = await startEngine(database, { apps });
  await second.engine.start();
  const response = await second.engine.fetch(`${second.engine.baseUrl}/e/key`, {
    method: "POST",
    body: JSON.stringify({ name: "t/resolved", data: { yes: true } }),
  });
  expect(response.status).toBe(200);
  await second.engine.idle();
  expect(await runsOf(second.engine, ids[0])).toMatchObject([
    { status: "Completed", output: { a: 2, b: 4, resolved: { yes: true } } },
  ]);
});

test("a signing key makes engine and app sign, and requests without a valid key are refused", async () => {
  const { engine, url } = await startEngine(await emptyPglite(), {
    signingKey: SIGNING_KEY,
    eventKeys: ["event-key"],
  });
  await engine.start();
  const app = await startApp(url, { isDev: false, signingKey: SIGNING_KEY, eventKey: "event-key" });
  await engine.syncApp(app.url);
  const { ids } = await app.inngest.send({ name: "t/start", data: { n: 1, ü: "\u0000 ☃", 1: 1.5e300 } });
  await engine.idle();
  await app.inngest.send({ name: "t/resolved", data: {} });
  await engine.idle();
  // Runs are not visible without the key.
  expect((await engine.fetch(`${url}/v1/events/${ids[0]}/runs`)).status).toBe(401);
  const { hashSigningKey } = await import("../protocol/signature.js");
  const authorization = `Bearer ${hashSigningKey(SIGNING_KEY)}`;
  expect(await runsOf(engine, ids[0], { authorization })).toMatchObject([{ status: "Completed" }]);

  const stranger = new Inngest({ id: "x", isDev: false, baseUrl: url, eventKey: "wrong", logger: silent });
  await expect(stranger.send({ name: "t/start", data: {} })).rejects.toThrow();
  const register = (authorization: string) =>
    fetch(`${url}/fn/register`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: "{}",
    });
  expect((await register("Bearer wrong")).status).toBe(401);
  for (const known of [authorization, `Bearer ${SIGNING_KEY}`])
    expect((await register(known)).status).toBe(400);
});

test("an app that does not sign its responses is refused", async () => {
  const { engine, url } = await startEngine(await emptyPglite(), { signingKey: SIGNING_KEY });
  const app = await startApp(url, { isDev: true });
  await expect(engine.syncApp(app.url)).rejects.toThrow("no valid signature");
});

test("a run continues once its unreachable app answers again", async () => {
  const { engine, url, clock } = await startEngine(await emptyPglite());
  await engine.start();
  const server = await listen();
  let reachable = true;
  let refused = 0;
  server.on("connection", (socket) => {
    if (reachable) return;
    refused++;
    socket.destroy();
  });
  const app = await startApp(url, { isDev: true }, server);
  await engine.syncApp(app.url);
  reachable = false;
  server.closeAllConnections();
  const { ids } = await app.inngest.send({ name: "t/start", data: { n: 1 } });
  await engine.idle();
  expect(refused).toBeGreaterThan(0);
  expect(await runsOf(engine, ids[0])).toMatchObject([{ status: "Running" }]);
  reachable = true;
  await clock.advance("10m");
  await engine.idle();
  await app.inngest.send({ name: "t/resolved", data: { yes: true } });
  await engine.idle();
  expect(await runsOf(engine, ids[0])).toMatchObject([
    { status: "Completed", output: { a: 2, b: 4, resolved: { yes: true } } },
  ]);
});

test("a run fails if its app stays unreachable", async () => {
  const { engine, url, clock } = await startEngine(await emptyPglite());
  await engine.start();
  const app = await startApp(url, { isDev: true });
  await engine.syncApp(app.url);
  await app.close();
  const { ids } = await app.inngest.send({ name: "t/start", data: { n: 1 } });
  for (let attempt = 0; attempt < 5; attempt++) {
    await engine.idle();
    await clock.advance("10m");
  }
  await engine.idle();
  expect(await runsOf(engine, ids[0])).toMatchObject([
    { status: "Failed", output: { message: expect.stringContaining("No response from the app") } },
  ]);
});
