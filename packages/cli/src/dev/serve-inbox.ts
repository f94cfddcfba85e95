import { once } from "node:events";
import { createAdaptorServer } from "@hono/node-server";
import type { Countersign } from "countersign";
import { verifyOrigin } from "countersign/auth";
import { storeVerbs } from "countersign/internal";
import { Hono } from "hono";
import { loadInbox } from "./project-inbox.js";

const maxCalls = 200;

/**
 * Serves the inbox to browsers of this machine, in which anybody may decide every call. Programs of this machine can do so
 * too, so it is for development alone.
 */
export async function serveInbox(
  countersign: Countersign,
  { address, port, you }: { address: string; port: number; you: { id: string; tenantId: string } },
): Promise<void> {
  const { approvalsApp } = await loadInbox(address);
  const origins = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  const store = storeVerbs(countersign.store);
  const everyRole = async () => {
    const calls = await store.listApprovals({
      tenantId: you.tenantId,
      statuses: ["pending"],
      limit: maxCalls,
    });
    return [...new Set(calls.flatMap(({ approvers }) => approvers.roles))];
  };
  const inbox = approvalsApp(countersign, {
    path: "/",
    holdMs: 0,
    // A page of another site must neither read nor decide, also under a name that leads here.
    authenticate: async (request) =>
      verifyOrigin(request, { allowedOrigins: origins })
        ? { ...you, roles: ["admin", ...(await everyRole())] }
        : null,
  });
  const app = new Hono()
    .use(async (context, next) => {
      if (origins.includes(new URL(context.req.url).origin)) return next();
      return context.text("This page is served at 127.0.0.1 only", 403);
    })
    .route("/", inbox);
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((error: unknown) => {
    throw new Error(`The inbox cannot listen on port ${port}; choose another with --port`, { cause: error });
  });
}
