import type { AddressInfo } from "node:net";
import { inboxPage } from "@countersign/inbox/server";
import { createAdaptorServer } from "@hono/node-server";
import type { Principal } from "countersign";
import { cookieSessionAuthenticator } from "countersign/auth";
import { approvalsApi } from "countersign/hono";
import { Hono } from "hono";
import { freshPostgres, type TestDatabase } from "../databases.js";
import { deskTools, inTurns } from "../desk-tools.js";
import { openHarness, principals } from "../harness.js";
import type { HarnessOptions } from "../harness-options.js";

const people = Object.keys(principals).map((token) => ({
  token,
  name: `${token.charAt(0).toUpperCase()}${token.slice(1)}`,
}));
// Constant, so that sessions survive a restart of the site.
const session = cookieSessionAuthenticator({ keys: ["a secret of at least thirty-two bytes"] });

export interface SiteOptions extends Partial<HarnessOptions> {
  /** The port of an earlier site. @default a free port */
  port?: number;
  /** The people to whom a call can be assigned. @default nobody */
  directory?: readonly Principal[];
  /** Roles that can stop calls. @default none */
  stopRoles?: readonly string[];
  /** Whether the API limits how often a person asks. @default true */
  rateLimit?: boolean;
  /** How long a decision in the inbox may be taken back, in milliseconds. @default 0 */
  holdMs?: number;
  /** Pages of the application around the inbox. @default none */
  host?: Hono;
}

/** Serves an installation and its inbox under `/inbox` over HTTP, on a fresh database unless one is given. */
export async function openSite({
  port = 0,
  directory,
  stopRoles = [],
  holdMs = 0,
  rateLimit = true,
  host = new Hono(),
  ...options
}: SiteOptions = {}) {
  const own = options.database ? undefined : await freshPostgres();
  const database: TestDatabase | undefined = options.database ?? own;
  if (!database) throw new Error("unreachable");
  const { tools, effects } = deskTools();
  const harness = await openHarness({ tools, reply: inTurns(), ...options, database });
  const app = new Hono()
    .post("/api/session", async ({ req }) => {
      const { token } = await req.json<{ token: string }>();
      const person = principals[token];
      if (!person) return new Response(null, { status: 401 });
      return new Response(null, {
        status: 204,
        headers: { "set-cookie": await session.signIn(person, req.raw) },
      });
    })
    .delete("/api/session", ({ req }) => {
      return new Response(null, { status: 204, headers: { "set-cookie": session.signOut(req.raw) } });
    })
    .route(
      "/api",
      approvalsApi(harness.countersign, {
        authenticate: session.authenticate,
        stopRoles,
        ...(rateLimit ? {} : { rateLimit: false as const }),
        ...(directory
          ? { people: ({ tenantId }) => directory.filter((one) => one.tenantId === tenantId) }
          : {}),
      }),
    )
    .route(
      "/inbox",
      inboxPage({ apiBase: "/api", basePath: "/inbox", signIn: { session: "/api/session", people }, holdMs }),
    )
    .route("/", host);
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const listeningOn = (server.address() as AddressInfo).port;
  return {
    harness,
    database,
    effects,
    port: listeningOn,
    /** Address of the page. */
    url: `http://127.0.0.1:${listeningOn}/inbox`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
      await harness[Symbol.asyncDispose]();
      await own?.[Symbol.asyncDispose]();
    },
  };
}

export type Site = Awaited<ReturnType<typeof openSite>>;
