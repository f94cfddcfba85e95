// The inbox of one tenant on a server of its own, in a process of its own, as in production; says where it listens.
import { inboxPage } from "@countersign/inbox/server";
import { serve } from "@hono/node-server";
import { createCountersign, definePolicy } from "countersign";
import { cookieSessionAuthenticator } from "countersign/auth";
import { approvalsApi } from "countersign/hono";
import { postgresStore } from "countersign/postgres";
import { Hono } from "hono";
import { Inngest } from "inngest";
import postgres from "postgres";

const url = process.env.DATABASE_URL;
if (!url) throw new Error("DATABASE_URL is missing");
const store = postgresStore({ client: postgres(url, { max: 10, onnotice: () => {} }) });
const countersign = createCountersign({
  // Nobody waits for these calls, so that there is nobody to wake.
  inngest: new Inngest({
    id: "bench",
    isDev: true,
    fetch: async () => Response.json({ ids: ["event"], status: 200 }),
  }),
  store,
  policy: definePolicy({ tools: {} }),
  tenantId: "acme",
});
const session = cookieSessionAuthenticator({ keys: ["a secret of at least thirty-two bytes"] });
const finance = { id: "finance", tenantId: "acme", roles: ["finance"] };
const app = new Hono()
  .post("/api/session", async ({ req }) => {
    return new Response(null, {
      status: 204,
      headers: { "set-cookie": await session.signIn(finance, req.raw) },
    });
  })
  .route("/api", approvalsApi(countersign, { authenticate: session.authenticate }))
  .route("/inbox", inboxPage({ apiBase: "/api", basePath: "/inbox" }));
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
