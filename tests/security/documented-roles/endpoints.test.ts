import { pushChannel } from "@countersign/channels/push";
import { ask, createCountersign, definePolicy, type Principal } from "countersign";
import { approvalsApi } from "countersign/hono";
import { Inngest } from "inngest";
import { afterAll, beforeAll, expect, it } from "vitest";
import webPush from "web-push";
import { z } from "zod";
import {
  ada,
  type DocumentedDesk,
  openDocumentedDesk,
  operator,
} from "../../support/postgres/documented-desk.js";

interface Use {
  /** What the request needs; `id` fills the place in the path. */
  of?(desk: DocumentedDesk): Promise<{ id?: string; body?: unknown }> | { body: unknown };
  query?: string;
  /** A part of the response's body. */
  gives?: object;
}

const reviewed = ({ id, digest }: { id: string; digest: string }) => ({ id, digest });
const approve = (call: { id: string; digest: string }) => ({ ...reviewed(call), type: "approve" });
const undoable = { terms: { undoable: true, reversible: "10m" } };
const idOf = async (found: Promise<{ id: string }>) => ({ id: (await found).id });
const withBody = async (found: Promise<{ id: string }>, body: unknown) => ({ ...(await idOf(found)), body });
const { publicKey } = webPush.generateVAPIDKeys();
const subscription = {
  endpoint: "https://push.example.com/ada",
  keys: { p256dh: publicKey, auth: "a".repeat(22) },
};
const results = { results: [{ ok: true }] };

const uses: Record<string, Use> = {
  health: {},
  readiness: { gives: { status: "ready" } },
  me: {},
  listApprovals: {
    of: async ({ call }) => ({ body: void (await call()) }),
    query: "?list=for_you",
    gives: { items: [{}] },
  },
  countApprovals: {},
  listFacets: {},
  getApproval: { of: ({ call }) => idOf(call()), gives: { status: "pending" } },
  listApprovalAudit: { of: ({ call }) => idOf(call()), gives: { items: [{}, {}] } },
  listDeliveries: { of: ({ call }) => idOf(call()), gives: { items: [{}] } },
  replayDelivery: {
    of: async ({ store, call, delivery }) => {
      const claimed = await delivery(await call());
      await store.endAttempt(claimed, { end: "failed", error: "gone", retryInMs: null, uncertain: false });
      return { id: claimed.id };
    },
    gives: { state: "due" },
  },
  getEvidence: { of: ({ executed }) => idOf(executed()), gives: { decision: "approve" } },
  decide: {
    of: async ({ call }) => {
      const { id, digest } = await call({ terms: { grantable: ["team"] }, toolName: "decided" });
      const grant = { scope: "team", arguments: "any", expiresIn: "1h" };
      return { id, body: { type: "approve", digest, grant } };
    },
    gives: { status: "approved" },
  },
  takeBack: {
    of: async ({ call, decide }) => {
      const voted = await call({ terms: { quorum: 2 } });
      await decide(voted);
      return { id: voted.id };
    },
    gives: { status: "pending", votes: [] },
  },
  checkEdit: {
    of: ({ call }) =>
      withBody(call({ terms: { decisions: ["edit"], editable: ["*"] } }), {
        input: { id: "A-1", amount: 5 },
      }),
    gives: { ok: true },
  },
  assign: { of: ({ call }) => withBody(call(), { to: "bob" }), gives: { assigneeId: "bob" } },
  listPeople: {},
  setViewing: { of: ({ call }) => withBody(call(), { active: true }), gives: { viewers: [{}] } },
  snooze: {
    of: ({ call }) => withBody(call(), { until: new Date(Date.now() + 120_000).toISOString() }),
    gives: { snoozedUntil: expect.any(String) },
  },
  endSnooze: { of: ({ call }) => idOf(call()), gives: { snoozedUntil: null } },
  extend: { of: ({ call }) => withBody(call(), { by: "5m" }), gives: { status: "pending" } },
  resolve: {
    of: ({ interrupted }) => withBody(interrupted(), { outcome: "done" }),
    gives: { resolution: { outcome: "done" } },
  },
  undo: {
    of: async ({ executed }) => {
      const { id, digest } = await executed(undoable);
      return { id, body: { digest } };
    },
    gives: { toolName: "refund.undo", status: "approved" },
  },
  undoMany: {
    of: async ({ executed }) => ({ body: { items: [reviewed(await executed(undoable))] } }),
    gives: results,
  },
  decideMany: { of: async ({ call }) => ({ body: { items: [approve(await call())] } }), gives: results },
  getRequest: { of: async ({ call }) => ({ id: (await call()).requestId }), gives: { items: [{}] } },
  listQuestions: {},
  getInsight: {},
  listGrants: {},
  getGrant: { of: async ({ granted }) => ({ id: await granted() }), gives: { status: "live" } },
  revokeGrant: { of: async ({ granted }) => ({ id: await granted() }), gives: { status: "revoked" } },
  listStops: {},
  engageStop: { of: () => ({ body: { tool: "nothing", reason: "Test" } }), gives: { tool: "nothing" } },
  releaseStop: {
    of: ({ store }) =>
      withBody(store.engageStop({ tenantId: "acme", tool: "other", reason: "Test", by: operator }), {
        reason: "Over",
      }),
    gives: { releasedBy: "ada" },
  },
  listThreads: {},
  getThread: {
    of: async ({ store }) =>
      idOf(
        store.openThread({ tenantId: "acme", id: "mine", ownerId: "ada", runId: null }) as Promise<{
          id: string;
        }>,
      ),
    gives: { id: "mine" },
  },
  listAudit: { query: "?limit=1", gives: { items: [{}] } },
  verifyAudit: { gives: { ok: true } },
  explainPolicy: { of: () => ({ body: { toolName: "refund", input: {} } }), gives: { kind: "ask" } },
  getPreferences: {},
  setPreferences: { of: () => ({ body: { theme: "dark" } }), gives: { theme: "dark" } },
  getPush: { gives: { publicKey: expect.any(String) } },
  subscribeToPush: { of: () => ({ body: subscription }), gives: { subscribed: true } },
  unsubscribeFromPush: {
    of: () => ({ body: { endpoint: subscription.endpoint } }),
    gives: { subscribed: false },
  },
  listPendingApprovals: {},
  approveTool: {
    of: async ({ call }) => {
      const { digest } = await call({ threadId: "chat" });
      return { body: { toolCallId: "call_0", threadId: "chat", action: "approve", digest } };
    },
    gives: { status: "approved" },
  },
};

const everything: Principal = { ...ada, roles: ["finance", "auditor", "operator"] };

function apiOf({ store }: DocumentedDesk) {
  const keys = webPush.generateVAPIDKeys();
  const countersign = createCountersign({
    inngest: new Inngest({
      ...{ id: "api", isDev: true, baseUrl: "http://engine.invalid" },
      fetch: async () => Response.json({ ids: ["sent"], status: 200 }),
    }),
    store,
    policy: definePolicy({ tools: { "*": ask({ approvers: { roles: ["finance"] } }) } }),
    tenantId: "acme",
    signingKey: "a-secret-of-at-least-thirty-two-bytes",
    channels: [pushChannel({ ...keys, subject: "mailto:operations@example.com", store })],
  });
  return approvalsApi(countersign, {
    ...{ authenticate: () => everything, rateLimit: false, people: () => [everything] },
    stopRoles: ["operator"],
  });
}

const documentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
});

/** Method and path of each endpoint that the API describes, by its name. */
async function endpointsOf(its: typeof api) {
  const { paths } = documentSchema.parse(await (await its.request("/openapi.json")).json());
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => [operationId, { method, path }] as const),
  );
  return new Map(all);
}

/** Without an answer in JSON; they have tests of their own. */
const others = ["getDocument", "receiveFromChannel", "followEvents", "exportAudit"];

let desk: DocumentedDesk;
let api: ReturnType<typeof apiOf>;
let endpoints: Awaited<ReturnType<typeof endpointsOf>>;
beforeAll(async () => {
  desk = await openDocumentedDesk();
  api = apiOf(desk);
  endpoints = await endpointsOf(api);
});
afterAll(() => desk[Symbol.asyncDispose]());

it("the table has every endpoint", () => {
  expect([...Object.keys(uses), ...others].sort()).toEqual([...endpoints.keys()].sort());
});

it.each(Object.entries(uses))(
  "the application's documented role serves %s",
  async (name, { of, query = "", gives = {} }) => {
    const { method = "", path = "" } = endpoints.get(name) ?? {};
    const { id = "", body }: { id?: string; body?: unknown } = (await of?.(desk)) ?? {};
    const response = await api.request(`${path.replace("{id}", encodeURIComponent(id))}${query}`, {
      method: method.toUpperCase(),
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const got = await response.json();
    expect({ status: response.status, got }).toMatchObject({ status: 200, got: gives });
  },
);
