import type { Principal } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiFor } from "../support/attack.js";
import { readEvents } from "../support/http/event-stream.js";
import { proposeCall } from "../support/proposals.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

// tests/security/forgotten-filters.test.ts tests each verb of the store without its tenant filter.

const digest = "0".repeat(64);

type Ids = Record<"approval" | "thread" | "grant" | "request", string>;

/** Routes that take an id, with the body that a stranger sends. */
const byId: Record<string, { id: keyof Ids; body?: unknown }> = {
  "GET /approvals/:id": { id: "approval" },
  "GET /approvals/:id/audit": { id: "approval" },
  "GET /approvals/:id/evidence": { id: "approval" },
  "GET /approvals/:id/deliveries": { id: "approval" },
  "POST /approvals/:id/decision": { id: "approval", body: { type: "approve", digest } },
  "POST /approvals/:id/take-back": { id: "approval" },
  "POST /approvals/:id/check": { id: "approval", body: { input: { id: "A-1", amount: 1 } } },
  "POST /approvals/:id/assign": { id: "approval", body: { to: "stranger" } },
  "POST /approvals/:id/viewing": { id: "approval", body: { active: true } },
  "POST /approvals/:id/snooze": { id: "approval", body: { until: "2100-01-01T00:00:00Z" } },
  "DELETE /approvals/:id/snooze": { id: "approval" },
  "POST /approvals/:id/extend": { id: "approval", body: { by: "5m" } },
  "POST /approvals/:id/resolution": { id: "approval", body: { outcome: "failed" } },
  "POST /approvals/:id/undo": { id: "approval", body: { digest: "0".repeat(64) } },
  "GET /requests/:id": { id: "request" },
  "GET /threads/:id": { id: "thread" },
  "GET /grants/:id": { id: "grant" },
  "POST /grants/:id/revoke": { id: "grant", body: {} },
};

const noCounts = {
  ...{ pending: 0, byRisk: { low: 0, medium: 0, high: 0, critical: 0 }, interrupted: 0 },
  nextReturn: null,
  lists: { for_you: 0, snoozed: 0, waiting: 0, asked: 0, uncertain: 0 },
};
const emptyPage = { items: [], nextCursor: null };

/** Routes about all that the caller may see, with their answer to a tenant that has nothing. */
const about: Record<string, { ask?: (ids: Ids) => { query?: string; body?: unknown }; expected: unknown }> = {
  "GET /approvals": { ask: ({ thread }) => ({ query: `?threadId=${thread}` }), expected: emptyPage },
  "GET /approvals/counts": { expected: noCounts },
  "GET /approvals/facets": {
    ask: ({ thread }) => ({ query: `?list=asked&threadId=${thread}` }),
    expected: { found: 0, risks: [], tools: [], requesters: [] },
  },
  "GET /insight": {
    expected: expect.objectContaining({ asked: 0, more: false, rules: [], approvers: [] }),
  },
  "GET /approvals/pending": { ask: ({ thread }) => ({ query: `?threadId=${thread}` }), expected: [] },
  "GET /questions": { expected: emptyPage },
  "GET /threads": { expected: { items: [] } },
  "GET /people": { expected: { items: [] } },
  "GET /grants": { expected: emptyPage },
  "GET /audit": { ask: ({ approval }) => ({ query: `?approvalId=${approval}` }), expected: emptyPage },
  "GET /audit/verify": {
    expected: { ok: true, entries: 0, head: { position: 0, hash: digest }, deleted: 0, sealed: [] },
  },
  "GET /audit/export": { expected: {} },
  "POST /decisions": {
    ask: ({ approval }) => ({ body: { items: [{ id: approval, digest, type: "approve" }] } }),
    expected: {
      results: [expect.objectContaining({ ok: false, problem: expect.objectContaining({ status: 404 }) })],
    },
  },
  "POST /undos": {
    ask: ({ approval }) => ({ body: { items: [{ id: approval, digest }] } }),
    expected: {
      results: [expect.objectContaining({ ok: false, problem: expect.objectContaining({ status: 404 }) })],
    },
  },
};

/** Routes about the caller alone, or about no stored data. Tests of `/events` and `/approve-tool` are below. */
const aboutNobodyElse = [
  "GET /me",
  "GET /preferences",
  "PUT /preferences",
  // channels/push/subscriptions tests that they reach only the caller's own browsers.
  "GET /push",
  "PUT /push/subscription",
  "DELETE /push/subscription",
  "POST /policy/explain",
  "GET /openapi.json",
  "GET /healthz",
  "GET /readyz",
  "GET /events",
  "POST /approve-tool",
  // The channel, not the API, verifies who clicked: channel-gate.
  "POST /channels/:name",
  // Deliveries are tested in channel-attempts, and their store verbs in forgotten-filters.
  "POST /deliveries/:id/replay",
  // Their answers to another tenant are tested in stops/tenants and stops/api.
  "GET /stops",
  "POST /stops",
  "POST /stops/:id/release",
];

/** Principals of other tenants, with ids and roles that count in the first tenant. */
const strangers: Principal[] = [
  { id: "finance", tenantId: "other", roles: ["finance", "admin", "auditor"] },
  { id: "requester", tenantId: "other", roles: [] },
  { id: "finance", tenantId: "acme.", roles: ["finance", "auditor"] },
  { id: "finance", tenantId: "ACME", roles: ["finance", "auditor"] },
  { id: "finance", tenantId: "%", roles: ["finance", "auditor"] },
];

describe("another tenant", () => {
  let world: Awaited<ReturnType<typeof openWaitingRefund>>;
  let api: ReturnType<typeof apiFor>;
  beforeAll(async () => {
    world = await openWaitingRefund();
    api = apiFor(world.harness.countersign, {
      fullViewRoles: ["admin"],
      approveWithoutDigest: true,
      people: ({ tenantId }) => (tenantId === "acme" ? [{ id: "finance" }, { id: "lead" }] : []),
    });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const routes = () => [
    ...new Set(
      api.api.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`),
    ),
  ];

  it("has a test case for every route of the API", () => {
    const known = [...Object.keys(byId), ...Object.keys(about), ...aboutNobodyElse];
    expect(routes().filter((route) => !known.includes(route))).toEqual([]);
    expect(routes().length).toBeGreaterThan(10);
  });

  it("gets the same answer for every id as for one that does not exist", async () => {
    const ids = idsOf(world);
    for (const route of routes().filter((route) => route in byId)) {
      const [method = "", pattern = ""] = route.split(" ");
      const { id: kind = "approval" as const, body } = byId[route] ?? {};
      const ask = async (principal: Principal, id: string) => {
        const path = pattern.replace(":id", id);
        const { status, text, headers } = await api.attack(principal, { method, path, body });
        return { status, text: text.replaceAll(id, "ID"), headers: [...headers] };
      };
      for (const stranger of strangers) {
        const answer = await ask(stranger, ids[kind]);
        expect([route, answer.status]).toEqual([route, 404]);
        expect(answer).toEqual(await ask(stranger, "nothing_has_this"));
      }
    }
    // Knowing the real digest, for example from a screenshot, does not help.
    for (const principal of strangers) {
      const { status } = await api.attack(principal, {
        path: `/approvals/${world.approval.id}/decision`,
        body: { type: "approve", digest: world.approval.digest },
      });
      expect(status).toBe(404);
    }
    expect((await world.harness.approval(world.approval.id)).status).toBe("pending");
    const trail = await world.harness.store.auditTrail("acme", world.approval.id);
    expect(trail.map(({ type }) => type)).toEqual(["approval.proposed", "approval.announced"]);
  });

  it("finds nothing in any list, even with the first tenant's ids in the query", async () => {
    const ids = idsOf(world);
    for (const route of routes().filter((route) => route in about)) {
      const [method = "", pattern = ""] = route.split(" ");
      const { ask, expected } = about[route] ?? {};
      for (const stranger of strangers.filter(({ roles }) => roles.includes("auditor"))) {
        const { query = "", body } = ask?.(ids) ?? {};
        const answer = await api.attack(stranger, { method, path: pattern + query, body });
        expect([route, answer.status, withoutTime(answer.text)]).toEqual([route, 200, expected]);
        if (!query) continue;
        const withoutQuery = await api.attack(stranger, { path: pattern });
        expect([route, withoutTime(withoutQuery.text)]).toEqual([route, expected]);
      }
    }
  });

  it("decides nothing through /approve-tool", async () => {
    const { thread } = idsOf(world);
    const body = { toolCallId: world.approval.toolCallId, threadId: thread, action: "approve" };
    for (const stranger of strangers) {
      const answer = await api.attack(stranger, { path: "/approve-tool", body });
      expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
      const unknown = await api.attack(stranger, { path: "/approve-tool", body: { ...body, threadId: "x" } });
      expect(answer.text).toBe(unknown.text);
    }
    expect((await world.harness.approval(world.approval.id)).status).toBe("pending");
  });

  it("receives only events of its own calls, even from the first position on", async () => {
    const [stranger] = strangers;
    if (!stranger) throw new Error("unreachable");
    const finance = { id: "finance", tenantId: "acme", roles: ["finance"] };
    const lead = { id: "lead", tenantId: "acme", roles: ["lead"] };
    const ownerEvents = readEvents(await api.request(finance, { path: "/events?after=0" }));
    const strangerEvents = readEvents(await api.request(stranger, { path: "/events?after=0" }));
    const viewing = { path: `/approvals/${world.approval.id}/viewing`, body: { active: true } };
    expect((await api.attack(lead, viewing)).status).toBe(200);
    await world.harness.decide(world.approval, "deny");
    await ownerEvents.until(({ data }) => data.type === "approval.denied");
    // The stranger's own calls are the last events. A stream sends the log before viewers: a leaked viewer of the first
    // tenant could follow the first call, but not the second one.
    const received: unknown[] = [];
    const expected: unknown[] = [["hello", undefined]];
    for (let call = 0; call < 2; call++) {
      const [own] = await proposeCall(world.harness.store, { tenantId: stranger.tenantId });
      const events = await strangerEvents.until(({ data }) => data.type === "approval.announced");
      received.push(...events.map(({ event, data }) => [event, data.approvalId]));
      expected.push(["change", own?.id], ["change", own?.id]);
    }
    expect(received).toEqual(expected);
    await Promise.all([ownerEvents.close(), strangerEvents.close()]);
  });
});

function idsOf({ approval, threadId }: Awaited<ReturnType<typeof openWaitingRefund>>): Ids {
  return { approval: approval.id, thread: threadId, grant: "grt_1", request: approval.requestId };
}

/** An answer without its server time. */
function withoutTime(text: string): unknown {
  return JSON.parse(text || "{}", (key, value: unknown) => (key === "serverTime" ? undefined : value));
}
