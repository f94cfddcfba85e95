// The approvals API in a process of its own, on the Postgres of the first argument with so many connections as the second says;
// tells its port to who started it. Who asks says of which tenant they are.
import { serve } from "@hono/node-server";
import { createCountersign } from "countersign";
import { approvalsApi } from "countersign/hono";
import { postgresStore } from "countersign/postgres";
import { Hono } from "hono";
import { Inngest } from "inngest";
import postgres from "postgres";
import { finance, policy } from "./installation.mjs";

const [url = "", connections = ""] = process.argv.slice(2);
const countersign = createCountersign({
  // Nobody waits for these wake-ups: an engine's work is not a decision's.
  inngest: new Inngest({
    id: "bench",
    isDev: true,
    fetch: async () => Response.json({ ids: ["event"], status: 200 }),
  }),
  store: postgresStore({ client: postgres(url, { max: Number(connections), onnotice: () => {} }) }),
  policy,
  signingKey: "only for benchmarks, and at least 32 bytes",
});
const api = approvalsApi(countersign, {
  authenticate: ({ headers }) => ({ ...finance, tenantId: headers.get("tenant") ?? "" }),
  rateLimit: false,
});
serve({ fetch: new Hono().route("/api", api).fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
  process.send?.(port),
);
