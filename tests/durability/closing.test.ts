import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createLocalEngine } from "@countersign/local-engine";
import { createAdaptorServer } from "@hono/node-server";
import { afterEach, expect, it } from "vitest";
import { freshPglite, freshPostgres } from "../support/databases.js";
import { eventually } from "../support/harness.js";
import { realServer } from "../support/host-app.js";
import { freePort } from "../support/http/free-port.mjs";
import { tcpProxy } from "../support/postgres/tcp-proxy.js";

const program = fileURLToPath(new URL("../support/closing/app.mjs", import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** The local engine, behind an address of its own. */
async function openEngine() {
  const database = await freshPglite();
  const engine = await createLocalEngine({ database: { pglite: database.pglite } });
  const server = createAdaptorServer({ fetch: (request) => engine.fetch(request) });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    sync: async (app: string) => {
      await engine.syncApp(app);
      await engine.start();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await engine.stop();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** The real Inngest server that is given. */
const serverAt = (url: string) => ({
  url,
  async sync(app: string) {
    const { ok } = await fetch(app, { method: "PUT" });
    if (!ok) throw new Error("The app did not register");
  },
  async [Symbol.asyncDispose]() {},
});

/** An engine in this process, and an app in another one, on a Postgres of its own. */
async function openApp(environment: Record<string, string> = {}) {
  const database = await freshPostgres();
  const { hostname, port } = new URL(database.url);
  const toDatabase = await tcpProxy({ host: hostname, port: Number(port) });
  const databaseUrl = new URL(database.url);
  databaseUrl.host = `127.0.0.1:${toDatabase.port}`;
  const engine = realServer ? serverAt(realServer) : await openEngine();
  const url = `http://127.0.0.1:${await freePort()}`;
  const started: string[] = [];
  let printed = "";
  let child: ChildProcess | undefined;
  const start = () => {
    child = spawn(process.execPath, [program], {
      env: {
        PATH: process.env.PATH,
        PORT: new URL(url).port,
        DATABASE_URL: databaseUrl.href,
        INNGEST_DEV: engine.url,
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    children.push(child);
    for (const output of [child.stdout, child.stderr]) output?.on("data", (chunk) => (printed += chunk));
    child.on("message", (message: { started: string }) => started.push(message.started));
    return child;
  };
  start();
  await eventually(
    () =>
      engine.sync(`${url}/api/inngest`).then(
        () => true,
        () => undefined,
      ),
    "the app serves",
  );
  const api = async (path: string, init: RequestInit = {}) =>
    (
      await fetch(`${url}/approvals${path}`, { headers: { "content-type": "application/json" }, ...init })
    ).json();
  const waiting = async (count: number) =>
    eventually(async () => {
      const { items } = await api("/approvals?status=pending&limit=50");
      return items.length === count ? items : undefined;
    }, `${count} calls wait`);
  return {
    ...{ url, start, waiting, toDatabase },
    get child() {
      if (!child) throw new Error("unreachable");
      return child;
    },
    printed: () => printed,
    /** Has an agent ask for these refunds in one response. */
    ask: (...orders: string[]) =>
      fetch(`${engine.url}/e/key`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: "desk/refund", data: { orders } }),
      }),
    approve: ({ id, digest }: { id: string; digest: string }) =>
      api(`/approvals/${id}/decision`, { method: "POST", body: JSON.stringify({ type: "approve", digest }) }),
    startedHandler: (order: string) =>
      eventually(async () => started.includes(order) || undefined, "it runs"),
    /** Resolves once the process knows: it ends its streams of events. */
    async tellToEnd() {
      const { body } = await fetch(`${url}/approvals/events`);
      child?.kill("SIGTERM");
      for await (const _ of body ?? []);
    },
    /** Statuses with the number of calls that have it. */
    async statuses() {
      const rows = await database.admin<{ status: string; count: number }[]>`
        select status, count(*)::int as count from countersign.approvals group by status order by status`;
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    },
    async [Symbol.asyncDispose]() {
      child?.kill("SIGKILL");
      toDatabase.close();
      await engine[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const exitOf = async (child: ChildProcess) =>
  child.exitCode === null ? (await once(child, "exit"))[0] : child.exitCode;

it("a process that is told to end lets its handler end, leaves the waiting calls, and exits by itself", async () => {
  await using app = await openApp();
  const orders = Array.from({ length: 21 }, (_, index) => `A-${index + 1}`);
  for (const order of orders) await app.ask(order);
  const [first] = await app.waiting(21);
  await app.approve(first);
  await app.startedHandler(first.input.order);

  // The stream of events ends at once, while the handler runs.
  await app.tellToEnd();
  expect([app.child.exitCode, await app.statuses()]).toEqual([null, { executing: 1, pending: 20 }]);
  app.child.send("refund now");
  expect(await exitOf(app.child), app.printed()).toBe(0);
  expect(await app.statuses()).toEqual({ executed: 1, pending: 20 });
});

it("a handler that does not end in time is named, and the process exits", async () => {
  await using app = await openApp({ CLOSE_TIMEOUT: "1s" });
  await app.ask("A-1");
  const [call] = await app.waiting(1);
  await app.approve(call);
  await app.startedHandler("A-1");
  app.child.kill("SIGTERM");
  await eventually(
    async () => app.printed().includes("1 handlers still run after 1s") || undefined,
    "it says so",
  );
  expect(app.printed()).toContain(call.id);
});

it("a call whose turn comes while the process ends is started by the next one", async () => {
  await using app = await openApp();
  await app.ask("A-1", "A-2");
  const calls = await app.waiting(2);
  for (const call of calls) await app.approve(call);
  await app.startedHandler("A-1");
  const { child } = app;
  await app.tellToEnd();
  child.send("refund now");
  expect(await exitOf(child), app.printed()).toBe(0);
  expect(await app.statuses()).toEqual({ approved: 1, executed: 1 });

  app.start().send("refund now");
  await eventually(async () => ((await app.statuses()).executed === 2 ? true : undefined), "both ran");
});

it("a process whose database is gone exits too, and says why", async () => {
  await using app = await openApp({ CLOSE_TIMEOUT: "1s" });
  await app.ask("A-1");
  const [call] = await app.waiting(1);
  await app.approve(call);
  await app.startedHandler("A-1");
  app.toDatabase.close();
  app.child.send("refund now");
  app.child.kill("SIGTERM");
  expect(await exitOf(app.child), app.printed()).toBe(0);
  expect(app.printed()).toContain("1 handlers still run after 1s");
});
