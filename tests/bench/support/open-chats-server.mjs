// Serves chats on the Postgres of the first argument: one thread for each, in which a call waits for somebody else.
import { createServer } from "node:http";
import { aiSdkChat } from "@countersign/chat/ai-sdk";
import { getRequestListener } from "@hono/node-server";
import { createCountersign } from "countersign";
import { storeVerbs } from "countersign/internal";
import { postgresStore } from "countersign/postgres";
import { Inngest } from "inngest";
import postgres from "postgres";
import { policy } from "./installation.mjs";
import { waitingCall } from "./waiting-call.mjs";

const [url = "", count = "0"] = process.argv.slice(2);
const tenantId = "acme";
const sql = postgres(url, { max: 10, onnotice: () => {} });
const store = postgresStore({ client: sql });
await store.migrate();
const verbs = storeVerbs(store);
const countersign = createCountersign({
  inngest: new Inngest({
    id: "bench",
    isDev: true,
    fetch: async () => Response.json({ ids: [], status: 200 }),
  }),
  store,
  policy,
  tenantId,
  logger: { debug() {}, info() {}, warn() {}, error: console.error },
});

const threads = Array.from({ length: Number(count) }, (_, index) => `thread-${index}`);
await inGroups(threads, async (threadId) => {
  const ownerId = `owner of ${threadId}`;
  await verbs.openThread({ tenantId, id: threadId, ownerId, runId: "run" });
  const bodyJson = JSON.stringify({ content: "Please refund it" });
  await verbs.beginTurn({ tenantId, threadId, runId: "run", key: "user:1", bodyJson });
  await verbs.propose(waitingCall({ tenantId, threadId, requesterId: ownerId }));
  await verbs.announce(`req_${threadId}`);
});

const app = aiSdkChat(countersign, {
  authenticate: (request) => {
    const thread = request.headers.get("authorization") ?? "";
    return { id: `owner of ${thread}`, tenantId, roles: [] };
  },
  startRun: async () => {},
});
const server = createServer(getRequestListener(app.fetch));
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));

/** @type {Record<string, (threads: string[]) => Promise<unknown>>} */
const actions = {
  look,
  /** Adds a text to each of these threads, with the time at which it was written. */
  async speak(wanted) {
    await inGroups(wanted, async (threadId) => {
      const output = [{ type: "text", role: "assistant", content: `at ${Date.now()}.` }];
      const body = { agentName: "support", output, toolCalls: [], createdAt: new Date() };
      const entry = { runId: "run", kind: /** @type {const} */ ("result"), key: `result:${Math.random()}` };
      await verbs.appendEntries(tenantId, threadId, [{ ...entry, bodyJson: JSON.stringify(body) }]);
    });
  },
};

process.on(
  "message",
  async (/** @type {{ action: string, threads: string[] }} */ { action, threads: wanted }) => {
    process.send?.({ result: await actions[action]?.(wanted) });
  },
);
const address = server.address();
process.send?.({ port: typeof address === "object" ? address?.port : undefined });

async function look() {
  const [row] = await sql`
    select (select xact_commit::int from pg_stat_database where datname = current_database()) as transactions,
      (select count(*)::int from pg_stat_activity where datname = current_database()) as connections`;
  for (let n = 0; n < 5; n++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { ...row, heapUsed, rss, cpuMs: (user + system) / 1000 };
}

/** @param {string[]} items @param {(item: string) => Promise<unknown>} work */
async function inGroups(items, work) {
  for (let n = 0; n < items.length; n += 10) await Promise.all(items.slice(n, n + 10).map(work));
}
