import { randomUUID } from "node:crypto";
import { type McpServerOptions, mcpChannel, mcpServer } from "@countersign/mcp/server";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  allow,
  ask,
  type CountersignOptions,
  createCountersign,
  definePolicy,
  deny,
  manual,
  notify,
  type Principal,
} from "countersign";
import { approvalsApi } from "countersign/hono";
import { Hono } from "hono";
import { Inngest } from "inngest";
import { freshPostgres } from "../databases.js";
import { listenOn } from "../http/listen-on.js";
import { proposeCall } from "../proposals.js";
import { postgresStore } from "../store.js";

/** The principal of each bearer token. */
const people: Record<string, Principal> = {
  agent: { id: "agent", tenantId: "acme", roles: ["agent"] },
  "other-agent": { id: "other-agent", tenantId: "acme", roles: ["agent"] },
  finance: { id: "finance", tenantId: "acme", roles: ["finance"] },
  lead: { id: "lead", tenantId: "acme", roles: ["lead"] },
  requester: { id: "requester", tenantId: "acme", roles: [] },
  stranger: { id: "stranger", tenantId: "other", roles: ["finance", "agent"] },
};

const policy = definePolicy({
  tools: {
    lookup: allow(),
    page: notify(),
    refund: ask({ approvers: { roles: ["finance", "lead"] } }),
    email: ask({ decideIn: ["inbox", "mcp"] }),
    ship: manual(),
    erase: deny("Never"),
  },
});

/** The principal of a request's bearer token. */
export function personOf(request: Request): Principal | null {
  return people[request.headers.get("authorization")?.replace("Bearer ", "") ?? ""] ?? null;
}

interface Elicitation {
  url?: Record<string, never>;
  form?: Record<string, never>;
}

interface WorldOptions {
  /** Another instance on the same database. */
  database?: Awaited<ReturnType<typeof freshPostgres>>;
  countersign?: Partial<CountersignOptions>;
  server?: Partial<McpServerOptions>;
}

export type McpWorld = Awaited<ReturnType<typeof openMcpWorld>>;

/** An instance on Postgres with its API and its MCP server on a real port; no agent runs. */
export async function openMcpWorld({ countersign: more, server, database: given }: WorldOptions = {}) {
  const database = given ?? (await freshPostgres(12));
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  const countersign = createCountersign({
    inngest: new Inngest({
      id: "mcp",
      isDev: true,
      baseUrl: "http://engine.invalid",
      fetch: async () => Response.json({ ids: ["sent"], status: 200 }),
    }),
    store,
    policy,
    tenantId: "acme",
    channels: [mcpChannel()],
    signingKey: "a signing key of more than thirty-two bytes",
    ...more,
  });
  const app = new Hono();
  const listener = await listenOn(async (request) => app.fetch(request));
  const mcp = mcpServer(countersign, {
    authenticate: personOf,
    inboxUrl: `${listener.url}/inbox`,
    requestRoles: ["agent"],
    decisionWaitMs: 5000,
    ...server,
  });
  app.all("/api/mcp", (c) => mcp.fetch(c.req.raw));
  app.get("/.well-known/oauth-protected-resource/*", () => mcp.metadata());
  const api = approvalsApi(countersign, { authenticate: personOf, rateLimit: false });
  app.route("/api", api);
  const closers: (() => Promise<void>)[] = [];
  const url = new URL(`${listener.url}/api/mcp`);
  const requestInit = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  return {
    ...{ database, store, countersign, url, mcp, inboxUrl: `${listener.url}/inbox` },
    /** An approval as the API shows it to this person. */
    async show(token: string, approvalId: string): Promise<Record<string, unknown>> {
      return (await api.request(`/approvals/${approvalId}`, requestInit(token))).json();
    },
    /** A new call that waits for a decision of finance, in a thread of its own. */
    async waiting(options: Parameters<typeof proposeCall>[1] = {}) {
      const [approval] = await proposeCall(store, {
        approvers: { roles: ["finance"], ids: [] },
        threadId: randomUUID(),
        ...options,
      });
      if (!approval) throw new Error("Nothing was proposed");
      return approval;
    },
    /** The types of the entries of an approval's audit trail, oldest first. */
    async trail(approvalId: string) {
      return (await store.auditTrail("acme", approvalId)).map(({ type }) => type);
    },
    /** Sends exactly this text to the MCP server, without a client library. */
    post(token: string, body: string, headers: Record<string, string> = {}) {
      return fetch(url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
        body,
      });
    },
    /** A client of the protocol of 2026. */
    async client(token: string, elicitation: Elicitation | null = { url: {}, form: {} }) {
      const client = new Client(
        { name: "test", version: "1" },
        {
          capabilities: elicitation ? { elicitation: { ...elicitation } } : {},
          versionNegotiation: { mode: "auto" },
        },
      );
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: requestInit(token) }));
      closers.push(() => client.close());
      return client;
    },
    /** A client of the protocol of 2025, by the SDK's first version. */
    async earlierClient(token: string, elicitation: Elicitation | null = { url: {}, form: {} }, to = url) {
      const client = new EarlierClient(
        { name: "test", version: "1" },
        { capabilities: elicitation ? { elicitation: { ...elicitation } } : {} },
      );
      await client.connect(
        // The transport's optional sessionId is not written for exactOptionalPropertyTypes.
        new EarlierTransport(to, { requestInit: requestInit(token) }) as Parameters<typeof client.connect>[0],
      );
      closers.push(() => client.close());
      return client;
    },
    /** A decision by the inbox's API, as the signed-in person. */
    async decide(token: string, approvalId: string, type: "approve" | "deny", reason?: string) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const { digest } = await (await api.request(`/approvals/${approvalId}`, { headers })).json();
      const body = JSON.stringify({ type, digest, reason });
      return api.request(`/approvals/${approvalId}/decision`, { method: "POST", headers, body });
    },
    async [Symbol.asyncDispose]() {
      for (const close of closers) await close();
      listener.close();
      await store.close();
      if (!given) await database[Symbol.asyncDispose]();
    },
  };
}

/** The structured content of a tool's result. */
export function structured(result: unknown): Record<string, unknown> {
  return (result as { structuredContent: Record<string, unknown> }).structuredContent;
}
