// An app with one tool, which refunds when its parent says so. It ends as the page about operations says.
import { serve as listen } from "@hono/node-server";
import { createCountersign, gateTool, needsApproval } from "countersign";
import { approvalsApi } from "countersign/hono";
import { postgresStore } from "countersign/postgres";
import { Hono } from "hono";
import { Inngest } from "inngest";
import { serve } from "inngest/hono";
import { z } from "zod";

const inngest = new Inngest({ id: "closing" });
const countersign = createCountersign({ inngest, store: postgresStore() });
const told = new Promise((resolve) => process.once("message", resolve));
const refund = needsApproval(
  gateTool({
    name: "refund",
    inputSchema: z.object({ order: z.string() }),
    async execute({ order }) {
      process.send({ started: order });
      await told;
      return `refunded ${order}`;
    },
  }),
);
const agent = inngest.createFunction(
  { id: "agent", retries: 2, triggers: { event: "desk/refund" } },
  async ({ event, step }) => {
    const calls = event.data.orders.map((order) => ({ id: order, name: "refund", input: { order } }));
    return countersign.gate({ step }).calls([refund], calls);
  },
);
const functions = serve({ client: inngest, functions: [...countersign.functions, agent] });
const authenticate = () => ({ id: "finn", roles: [] });
const app = new Hono()
  .all("/api/inngest", (context) => functions(context))
  .route("/approvals", approvalsApi(countersign, { authenticate, rateLimit: false }));
const server = listen({ fetch: app.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" });

process.once("SIGTERM", async () => {
  const after = new Promise((done) => server.close(done));
  await countersign.close({ after, timeout: process.env.CLOSE_TIMEOUT });
  process.exit(0);
});
