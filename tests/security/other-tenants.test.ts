import type { Principal } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiFor } from "../support/attack.js";
import { eventually } from "../support/harness.js";
import { readEvents } from "../support/http/event-stream.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

// The store's verbs, one by one, with and without their tenant filters: tests/security/forgotten-filters.test.ts.

const digest = "0".repeat(64);

type Ids = Record<"approval" | "thread" | "grant" | "request", string>;

/** Routes that take an id of something: what a stranger sends, which would be right if it were theirs. */
const byId: Record<string, { id: keyof Ids; body?: unknown }> = {
  "GET /approvals/:id": { id: "approval" },
  "GET /approvals/:id/audit": { id: "approval" },
  "GET /approvals/:id/evidence": { id: "approval" },
  "GET /approvals/:id/deliveries": { id: "approval" },
  "POST /approvals/:id/decision": { id: "approval", body: { type: "approve", digest } },
  "POST /approvals/:id/check": { id: "approval", body: { input: { id: "A-1", amount: 1 } } },
  "POST /approvals/:id/assign": { id: "approval", body: { to: "stranger" } },
  "POST /approvals/:id/viewing": { id: "approval", body: { active: true } },
  "POST /approvals/:id/extend": { id: "approval", body: { by: "5m" } },
  "POST /approvals/:id/resolution": { id: "approval", body: { outcome: "failed" } },
  "GET /requests/:id": { id: "request" },
  "GET /threads/:id": { id: "thread" },
  "GET /grants/:id": { id: "grant" },
  "POST /grants/:id/revoke": { id: "grant", body: {} },
};

const noCounts = { pending: 0, byRisk: { low: 0, medium: 0, high: 0, critical: 0 }, interrupted: 0 };
const emptyPage = { items: [], nextCursor: null };

/** Routes about all that the caller may see: what they tell a tenant of its own that has nothing. */
const about: Record<string, { ask?: (ids: Ids) => { query?: string; body?: unknown }; told: unknown }> = {
  "GET /approvals": { ask: ({ thread }) => ({ query: `?threadId=${thread}` }), told: emptyPage },
  "GET /approvals/counts": { told: noCounts },
  "GET /approvals/pending": { ask: ({ thread }) => ({ query: `?threadId=${thread}` }), told: [] },
  "GET /questions": { told: emptyPage },
  "GET /threads": { told: { items: [] } },
  "GET /people": { told: { items: [] } },
  "GET /grants": { told: emptyPage },
  "GET /audit": { ask: ({ approval }) => ({ query: `?approvalId=${approval}` }), told: emptyPage },
  "GET /audit/verify": {
    told: { ok: true, entries: 0, head: { position: 0, hash: digest }, deleted: 0, sealed: [] },
  },
  "GET /audit/export": { told: {} },
  "POST /decisions": {
    ask: ({ approval }) => ({ body: { items: [{ id: approval, digest, type: "approve" }] } }),
    told: {
      results: [expect.objectContaining({ ok: false, problem: expect.objectContaining({ status: 404 }) })],
    },
  },
};

/** Routes about the caller alone, or about nothing that is kept. Those with `/events` and `/approve-tool` are below. */
const aboutNobodyElse = [
  "GET /me",
  "GET /preferences",
  "PUT /preferences",
  "POST /policy/explain",
  "GET /openapi.json",
  "GET /reference",
  "GET /healthz",
  "GET /readyz",
  "GET /events",
  "POST /approve-tool",
  // Who clicked is verified by the channel, not by the API: channels/gate.
  "POST /channels/:name",
  // Deliveries are made by a channel: channels/attempts, and forgotten-filters for the store.
  "POST /deliveries/:id/replay",
  // What they tell another tenant is tried in stops/tenants and stops/api.
  "GET /stops",
  "POST /stops",
  "POST /stops/:id/release",
];

/** Everything that another tenant could give somebody, by the names that count in the first one. */
const strangers: Principal[] = [
  { id: "finance", tenantId: "other", roles: ["finance", "admin", "auditor"] },
  { id: "requester", tenantId: "other", roles: [] },
  { id: "finance", tenantId: "acme ", roles: ["finance", "auditor"] },
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
      eventHeartbeatMs: 20,
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

  it("has a case here for every route of the API", () => {
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
    // With the real digest as well: whoever found it in a screenshot can do no more.
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

  it("finds nothing in any list, also when it names what it looks for", async () => {
    const ids = idsOf(world);
    for (const route of routes().filter((route) => route in about)) {
      const [method = "", pattern = ""] = route.split(" ");
      const { ask, told } = about[route] ?? {};
      for (const stranger of strangers.filter(({ roles }) => roles.includes("auditor"))) {
        const { query = "", body } = ask?.(ids) ?? {};
        const answer = await api.attack(stranger, { method, path: pattern + query, body });
        expect([route, answer.status, withoutTime(answer.text)]).toEqual([route, 200, told]);
        if (!query) continue;
        const unasked = await api.attack(stranger, { path: pattern });
        expect([route, withoutTime(unasked.text)]).toEqual([route, told]);
      }
    }
  });

  it("decides nothing in the form that names a call by its thread", async () => {
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

  it("hears nothing, from whatever position it asks", async () => {
    const [stranger] = strangers;
    if (!stranger) throw new Error("unreachable");
    const finance = { id: "finance", tenantId: "acme", roles: ["finance"] };
    const heard = readEvents(await api.request(finance, { path: "/events?after=0" }));
    const abroad = await api.request(stranger, { path: "/events?after=0" });
    const reader = abroad.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    await world.harness.decide(world.approval, "deny");
    await heard.until(({ data }) => data.type === "approval.denied");
    // Signs of life that come after the owner's news has arrived.
    const signs = text.split("still here").length;
    await eventually(async () => {
      text += (await reader?.read())?.value ?? "";
      return text.split("still here").length > signs + 2 ? true : undefined;
    }, "signs of life");
    expect(text).not.toContain("event: change");
    expect(text).not.toContain("event: viewing");
    expect(text).not.toContain(world.approval.id);
    await Promise.all([heard.close(), reader?.cancel()]);
  });
});

function idsOf({ approval, threadId }: Awaited<ReturnType<typeof openWaitingRefund>>): Ids {
  return { approval: approval.id, thread: threadId, grant: "grt_1", request: approval.requestId };
}

/** An answer but for the time at which it was given. */
function withoutTime(text: string): unknown {
  return JSON.parse(text || "{}", (key, value: unknown) => (key === "serverTime" ? undefined : value));
}
