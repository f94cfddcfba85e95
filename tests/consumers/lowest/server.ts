import { readFile } from "node:fs/promises";
import { createLocalEngine } from "@countersign/local-engine";
import { serve as listen } from "@hono/node-server";
import { createCountersign, definePolicy } from "countersign";
import { approvalsApi } from "countersign/hono";
import { pgliteStore } from "countersign/pglite";
import { postgresStore } from "countersign/postgres";
import { Hono } from "hono";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import { renderToString } from "react-dom/server";
import { inbox } from "./inbox.js";

// A plain function that asks before it refunds, on Postgres or PGlite; its inbox is rendered on the server.
const url = process.env.DATABASE_URL;
const store = url ? postgresStore({ url }) : pgliteStore();
await store.migrate();
const engine = await createLocalEngine({ database: "memory" });
const inngest = new Inngest({ id: "shop", isDev: true, baseUrl: engine.baseUrl, fetch: engine.fetch });
const countersign = createCountersign({ inngest, store, policy: definePolicy({ tools: {} }) });
const chat = inngest.createFunction({ id: "chat", triggers: [{ event: "chat" }] }, async ({ step }) => {
  const answer = await countersign.requireApproval(step, {
    action: "refund",
    details: { orderId: "A-1001" },
    approvers: { roles: ["finance"] },
    risk: "high",
  });
  if (answer.approved) console.log("refunded A-1001");
});
await engine.registerApp({
  handler: serve({ client: inngest, functions: [...countersign.functions, chat] }),
});
await engine.start();

const authenticate = async () => ({ id: "finn", tenantId: "default", roles: ["finance"] });
const app = new Hono();
app.route("/api", approvalsApi(countersign, { authenticate }));
for (const [file, type] of Object.entries({ "page.js": "text/javascript", "page.css": "text/css" })) {
  app.get(`/${file}`, async (context) =>
    context.body(await readFile(file, "utf8"), 200, { "content-type": type }),
  );
}
app.get("/inbox/*", (context) =>
  context.html(
    `<!doctype html><link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css">
    <div id="inbox">${renderToString(inbox)}</div><script type="module" src="/page.js"></script>`,
  ),
);
const server = listen({ fetch: app.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" });
await inngest.send({ name: "chat" });
process.once("SIGTERM", async () => {
  server.close();
  await engine.stop();
  await store.close();
  process.exit(0);
});
