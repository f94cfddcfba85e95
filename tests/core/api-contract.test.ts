import { serve } from "@hono/node-server";
import {
  ApprovalsApiError,
  type ApprovalsClient,
  type BodyOf,
  createApprovalsClient,
} from "countersign/client";
import { toNextHandlers } from "countersign/next";
import { Hono } from "hono";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { freePort } from "../support/http/free-port.mjs";
import { proposeCall } from "../support/proposals.js";

type World = Awaited<ReturnType<typeof openApiWorld>>;
type Send = (request: Request) => Promise<Response>;

/**
 * The ways in which a client reaches the API; each must answer the same. COUNTERSIGN_CONTRACT_URL adds one, such as a real
 * Next application. It must serve the API with the principals, people and policy of `openApiWorld`.
 */
const transports = [
  {
    name: "a Hono app on a Node server",
    async open({ api }: World) {
      const server = serve({ fetch: new Hono().route("/api", api).fetch, port: await freePort() });
      const { port } = server.address() as { port: number };
      return { baseUrl: `http://127.0.0.1:${port}/api`, send: fetch as Send, close: () => server.close() };
    },
  },
  {
    name: "handlers in Next's router",
    async open({ api }: World) {
      const handlers: Partial<Record<string, Send>> = toNextHandlers(api, { basePath: "/api/desk" });
      const send: Send = async (request) =>
        (await handlers[request.method]?.(request)) ?? new Response(null, { status: 405 });
      return { baseUrl: "https://desk.example/api/desk/", send, close: () => {} };
    },
  },
];

const elsewhere = process.env.COUNTERSIGN_CONTRACT_URL;
if (elsewhere !== undefined) {
  transports.push({
    name: elsewhere,
    open: async () => ({ baseUrl: elsewhere, send: fetch as Send, close: () => {} }),
  });
}

/** The database of an API that another process serves. Nobody has used it before. */
function databaseElsewhere() {
  const url = process.env.COUNTERSIGN_CONTRACT_DATABASE;
  if (url === undefined)
    throw new Error("COUNTERSIGN_CONTRACT_DATABASE must be that of COUNTERSIGN_CONTRACT_URL");
  const client = postgres(url, { onnotice: () => {} });
  return {
    ...{ kind: "postgres" as const, url, postgres: client, admin: client },
    [Symbol.asyncDispose]: () => client.end({ timeout: 1 }),
  };
}

describe.each(transports)("the API through $name", ({ name, open }) => {
  let world: World;
  let transport: Awaited<ReturnType<typeof open>>;
  let as: (token: string, send?: Send) => ApprovalsClient;

  beforeAll(async () => {
    world = await openApiWorld({ database: name === elsewhere ? databaseElsewhere() : undefined });
    transport = await open(world);
    as = (token, send = transport.send) =>
      createApprovalsClient({ baseUrl: transport.baseUrl, token, fetch: send });
  });
  afterAll(async () => {
    transport.close();
    await world[Symbol.asyncDispose]();
  });

  const propose = (options: Parameters<typeof proposeCall>[1] = {}) => proposeCall(world.store, options);
  const one = async (options: Parameters<typeof proposeCall>[1] = {}) => {
    const [call] = await propose(options);
    if (!call) throw new Error("unreachable");
    return call;
  };
  /** The problem with which the API refuses a request. */
  const problemOf = async (answer: Promise<unknown>) => {
    const thrown = await answer.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(thrown instanceof ApprovalsApiError)) throw new Error("was not refused by the API");
    return thrown.problem;
  };

  it("identifies the caller, and refuses an unknown one", async () => {
    const { principal, can } = await as("auditor").me();
    expect(principal).toEqual({ id: "auditor", tenantId: "acme", roles: ["auditor"] });
    expect(can).toEqual({ auditAll: true, seeEverything: false, stop: false });
    expect(await problemOf(as("wrong").me())).toMatchObject({ status: 401, code: "unauthenticated" });
    expect(await as("wrong").health()).toEqual({ status: "up" });
    expect(await as("wrong").readiness()).toEqual({ status: "ready" });
  });

  it("lists approvals by each filter, in each order, page by page", async () => {
    const threadId = "listed";
    const calls = await propose({ threadId, calls: 5, requesterId: "requester" });
    const own = calls.map(({ id }) => id);
    await as("finance").decide({ id: own[4] ?? "", body: { type: "deny", digest: calls[4]?.digest ?? "" } });
    const idsOf = async (query: Parameters<ApprovalsClient["listApprovals"]>[0] & object) => {
      const { items } = await as("finance").listApprovals(query);
      return items.map(({ id }) => id);
    };
    for (const sort of ["created", "-created", "expires"] as const) {
      const paged: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await as("finance").listApprovals({
          query: { threadId, status: "pending", sort, limit: 3, ...(cursor ? { cursor } : {}) },
        });
        paged.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      expect(paged.toSorted()).toEqual(own.slice(0, 4).toSorted());
    }
    expect(await idsOf({ query: { threadId, sort: "-decided" } })).toEqual([own[4]]);
    expect(await idsOf({ query: { threadId, status: "denied,expired" } })).toEqual([own[4]]);
    for (const [query, count] of [
      [{ tool: "refund" }, 5],
      [{ tool: "other" }, 0],
      [{ risk: "medium" }, 5],
      [{ risk: "critical" }, 0],
      [{ q: "refund a-1" }, 5],
      [{ q: "A-1 requester refund" }, 5],
      [{ q: "refund a-2" }, 0],
      [{ q: "%" }, 0],
      [{ assignee: "me" }, 0],
      [{ mine: "decidable" }, 4],
      [{ mine: "decidable", status: "denied" }, 0],
      [{ mine: "decidable", status: "pending" }, 4],
      [{ mine: "asked" }, 0],
    ] as const) {
      expect([query, (await idsOf({ query: { threadId, ...query } })).length]).toEqual([query, count]);
    }
    await propose({ threadId: "sums", summary: "Refund 2,400 EUR" });
    for (const [q, count] of [
      ["2,400", 1],
      ["2400 refund", 1],
      ["24000", 0],
    ] as const) {
      expect([q, (await idsOf({ query: { threadId: "sums", q } })).length]).toEqual([q, count]);
    }
    expect((await as("requester").listApprovals({ query: { threadId, mine: "asked" } })).items).toHaveLength(
      5,
    );
    expect((await as("stranger").listApprovals({ query: { threadId } })).items).toEqual([]);
    const ownCall = { threadId: "own", terms: { requesterMayNotApprove: true }, requesterId: "finance" };
    const approveOnly = { ...ownCall, terms: { ...ownCall.terms, decisions: ["approve" as const] } };
    const [deniable] = await propose(ownCall);
    await propose(approveOnly);
    expect(await idsOf({ query: { threadId: "own", mine: "decidable" } })).toEqual([deniable?.id]);
    expect(await idsOf({ query: { threadId: "own", mine: "asked" } })).toHaveLength(2);
    expect(await problemOf(idsOf({ query: { cursor: "x" } }))).toMatchObject({ status: 400 });
    const counts = await as("finance").countApprovals();
    expect(counts.pending).toBeGreaterThanOrEqual(4);
    expect(counts.byRisk.medium).toBe(counts.pending);
  });

  it("shows an approval with its context, its request and its audit trail", async () => {
    const call = await one({ modelText: "I refund A-1", calls: 2 });
    const view = await as("finance").getApproval({ id: call.id });
    expect(view).toMatchObject({ id: call.id, digest: call.digest, status: "pending" });
    expect(view.context).toEqual({ modelText: "I refund A-1", messages: [] });
    expect((await as("finance").getRequest({ id: call.requestId })).items).toHaveLength(2);
    const trail = await as("finance").listApprovalAudit({ id: call.id });
    expect(trail.items.map(({ type }) => type)).toEqual(["approval.proposed", "approval.announced"]);
    for (const refused of [
      () => as("stranger").getApproval({ id: call.id }),
      () => as("finance").getApproval({ id: "a/b %2F ü" }),
      () => as("finance").getRequest({ id: "nothing" }),
    ]) {
      expect(await problemOf(refused())).toMatchObject({ status: 404, code: "not_found" });
    }
  });

  it("records each type of decision once, however often it is sent", async () => {
    const terms = { decisions: ["approve", "edit", "deny", "respond"] as const, editable: ["*"] };
    for (const body of [
      { type: "approve" },
      { type: "deny", reason: "Too late" },
      { type: "edit", input: { id: "A-1", amount: 5 } },
      { type: "respond", response: { paid: true } },
    ] as const) {
      const call = await one({ terms: { ...terms, decisions: [...terms.decisions] } });
      const asked = { id: call.id, body: { ...body, digest: call.digest } };
      if (body.type === "edit") {
        const checked = await as("finance").checkEdit({ id: call.id, body: { input: body.input } });
        expect(checked).toEqual({ ok: true, changes: [{ field: "amount", from: 80, to: 5 }] });
      }
      // The first answer is lost on its way, and the client does not know that it was decided.
      let lost = true;
      const losing: Send = async (request) => {
        const response = await transport.send(request);
        if (!lost) return response;
        lost = false;
        throw new TypeError("the connection was lost");
      };
      const client = as("finance", losing);
      await expect(client.decide(asked)).rejects.toThrow("the connection was lost");
      const again = await client.decide(asked);
      expect(again.decision).toMatchObject({ type: body.type, decidedBy: "finance" });
      expect(await client.decide(asked)).toEqual(again);
      const rival = { id: call.id, body: { type: "deny" as const, digest: call.digest, reason: "No" } };
      expect(await problemOf(as("lead").decide(rival))).toMatchObject({
        status: 409,
        code: "already_decided",
        decidedBy: "finance",
      });
    }
  });

  it("decides many calls at once, each with its own outcome", async () => {
    const calls = await propose({ calls: 3 });
    const [first, second, third] = calls;
    if (!first || !second || !third) throw new Error("unreachable");
    const { results } = await as("finance").decideMany({
      body: {
        items: [
          { id: first.id, digest: first.digest, type: "approve" },
          { id: second.id, digest: "stale", type: "approve" },
          { id: "nothing", digest: "x", type: "deny" },
          { id: third.id, digest: third.digest, type: "deny", reason: "No" },
        ],
      },
    });
    expect(results.map((result) => (result.ok ? result.approval.status : result.problem.code))).toEqual([
      "approved",
      "digest_mismatch",
      "not_found",
      "denied",
    ]);
  });

  it("lets people assign a call, view it and extend its deadline", async () => {
    const { id } = await one({ terms: { delegable: true }, timeoutMs: 600_000 });
    const assigned = await as("finance").assign({ id, body: { to: "lead" } });
    expect(assigned.assigneeId).toBe("lead");
    const { items } = await as("lead").listApprovals({ query: { assignee: "me" } });
    expect(items.map((item) => item.id)).toEqual([id]);
    const viewed = await as("lead").setViewing({ id, body: { active: true } });
    expect(viewed.viewers.map(({ principalId }) => principalId)).toEqual(["lead"]);
    const until = new Date(Date.now() + 120_000).toISOString();
    expect((await as("lead").snooze({ id, body: { until } })).snoozedUntil).toBe(until);
    expect((await as("lead").countApprovals()).nextReturn).toBe(until);
    expect((await as("lead").endSnooze({ id })).snoozedUntil).toBeNull();
    const before = Date.parse(viewed.expiresAt ?? "");
    const extended = await as("lead").extend({ id, body: { by: "5m" } });
    expect(Date.parse(extended.expiresAt ?? "") - before).toBe(300_000);
    expect(await problemOf(as("lead").extend({ id, body: { by: "soon" } }))).toMatchObject({
      status: 400,
      errors: [{ field: "by" }],
    });
    expect(await problemOf(as("lead").resolve({ id, body: { outcome: "done" } }))).toMatchObject({
      status: 409,
      code: "not_interrupted",
    });
  });

  it("lists the people of the caller's tenant only, as the host gives them", async () => {
    const lead = { id: "lead", roles: ["lead"] };
    const finance = { id: "finance", displayName: "Fin", roles: ["finance"] };
    const { items } = await as("finance").listPeople();
    expect(items).toEqual(expect.arrayContaining([lead, finance]));
    expect(items.map(({ id }) => id)).not.toContain("stranger");
    expect((await as("stranger").listPeople()).items).toEqual([{ id: "stranger", roles: ["finance"] }]);
    expect(await problemOf(as("wrong").listPeople())).toMatchObject({ status: 401 });
  });

  it("records the resolution of an interrupted call", async () => {
    const call = await one();
    await as("finance").decide({ id: call.id, body: { type: "approve", digest: call.digest } });
    await world.store.claim(call.id, "once", () => undefined);
    await world.store.finish(call.id, { status: "interrupted" });
    const resolved = await as("lead").resolve({ id: call.id, body: { outcome: "done", note: "I looked" } });
    expect(resolved.resolution).toMatchObject({ outcome: "done", resolvedBy: "lead", note: "I looked" });
  });

  it("gives, lists and revokes grants", async () => {
    const call = await one({ terms: { grantable: ["team"] } });
    const grant = { scope: "team", arguments: "any", expiresIn: "1h" } as const;
    await as("finance").decide({ id: call.id, body: { type: "approve", digest: call.digest, grant } });
    const { items } = await as("finance").listGrants({ query: { live: "true" } });
    const [given] = items;
    expect(given).toMatchObject({ approvalId: call.id, grantedBy: "finance", status: "live" });
    const id = given?.id ?? "";
    expect(await as("finance").getGrant({ id })).toEqual(given);
    expect((await as("finance").revokeGrant({ id })).status).toBe("revoked");
    expect((await as("finance").revokeGrant({ id })).status).toBe("revoked");
    expect(await problemOf(as("stranger").getGrant({ id }))).toMatchObject({ status: 404 });
  });

  it("serves conversations, questions, preferences and explanations of the policy", async () => {
    const owner = { id: "finance", tenantId: "acme", roles: ["finance"] };
    const { threadId } = await world.countersign.threads.open({ owner });
    expect((await as("finance").listThreads()).items.map(({ id }) => id)).toEqual([threadId]);
    expect(await as("finance").getThread({ id: threadId })).toMatchObject({ id: threadId, messages: [] });
    expect(await problemOf(as("lead").getThread({ id: threadId }))).toMatchObject({
      code: "thread_not_found",
    });
    expect((await as("finance").listQuestions()).items).toEqual([]);
    const question = { message: "Which warehouse?", choices: ["North", "South"] };
    const [asked] = await propose({ toolName: "request_human_input", input: question });
    const questions = await as("finance").listQuestions();
    expect(questions.items).toMatchObject([{ id: asked?.id, toolName: "request_human_input", question }]);
    expect((await as("stranger").listQuestions()).items).toEqual([]);
    const preferences = {
      theme: "dark" as const,
      notifications: true,
      denyReasons: ["No"],
    };
    await as("finance").setPreferences({ body: { ...preferences, denyReasons: ["No"] } });
    expect(await as("finance").getPreferences()).toEqual(preferences);
    expect((await as("lead").getPreferences()).theme).toBe("system");
    const call = { body: { toolName: "erase", input: { id: "A-1" } } };
    expect(await as("auditor").explainPolicy(call)).toMatchObject({ kind: "deny" });
    expect(await problemOf(as("finance").explainPolicy(call))).toMatchObject({ code: "auditors_only" });
  });

  it("explains a call with the effects that its preview would find", async () => {
    const explained = (preview: Pick<BodyOf<"explainPolicy">, "effects" | "reversible">) =>
      as("auditor").explainPolicy({ body: { toolName: "purge", input: {}, ...preview } });
    const effects = [{ target: "table a", before: { rows: 40 }, after: null, count: 40 }];
    expect((await explained({ effects, reversible: "30m" })).kind).toBe("allow");
    expect((await explained({ effects })).kind).toBe("deny");
    expect((await explained({ effects: [], reversible: true })).kind).toBe("deny");
    expect((await explained({})).kind).toBe("deny");
    const refused = (body: Parameters<typeof explained>[0]) => problemOf(explained(body));
    expect(await refused({ reversible: true })).toMatchObject({
      ...{ code: "invalid_request", errors: [{ field: "reversible", message: "needs effects" }] },
    });
    expect(await refused({ effects, reversible: "soon" })).toMatchObject({
      errors: [{ field: "reversible" }],
    });
    expect(await refused({ effects: [{ target: "" }] })).toMatchObject({
      errors: [{ field: "effects.0.target" }],
    });
  });

  it("serves the audit log and its export to auditors", async () => {
    expect((await as("auditor").listAudit({ query: { limit: 2 } })).items).toHaveLength(2);
    expect(await as("auditor").verifyAudit()).toMatchObject({ ok: true });
    expect(await problemOf(as("finance").verifyAudit())).toMatchObject({
      status: 403,
      code: "auditors_only",
    });
    const url = `${transport.baseUrl.replace(/\/$/, "")}/audit/export?format=csv`;
    const headers = { authorization: "Bearer auditor" };
    const response = await transport.send(new Request(url, { headers }));
    expect(response.headers.get("content-type")).toContain("text/csv");
    expect((await response.text()).split("\r\n").length).toBeGreaterThan(3);
  });

  it("streams events, and resumes after the last one that a reader received", async () => {
    let first = "";
    let last: string | undefined;
    for await (const event of as("finance").followEvents()) {
      if (event.event === "hello") first = (await one()).id;
      if (event.event !== "change" || event.data.approvalId !== first) continue;
      last = event.id;
      break;
    }
    const missed = await one();
    for await (const event of as("finance").followEvents({ after: last })) {
      if (event.event !== "change" || event.data.approvalId !== missed.id) continue;
      if (event.data.type === "approval.announced") return;
    }
    throw new Error("The stream ended before the event that was missed");
  });

  it("refuses unknown ids, methods and bodies with problem details", async () => {
    const ask = async (path: string, init: RequestInit = {}) => {
      const url = `${transport.baseUrl.replace(/\/$/, "")}${path}`;
      const headers = { authorization: "Bearer finance", ...init.headers };
      const response = await transport.send(new Request(url, { ...init, headers }));
      const { code } = await response.json();
      return [response.status, code, response.headers.get("content-type")];
    };
    const problem = "application/problem+json";
    const json = { "content-type": "application/json" };
    expect(await ask("/approvals/nothing")).toEqual([404, "not_found", problem]);
    expect(await ask("/approvals", { method: "DELETE" })).toEqual([405, "method_not_allowed", problem]);
    expect(await ask("/approvals/x/decision", { method: "POST", body: "{", headers: json })).toEqual([
      400,
      "invalid_request",
      problem,
    ]);
    expect(await ask("/approvals/x/decision", { method: "POST", body: "type=approve" })).toEqual([
      415,
      "unsupported_media_type",
      problem,
    ]);
  });

  it("lists pending approvals and decides by thread and tool call id", async () => {
    const call = await one({ threadId: "compat" });
    const [pending] = await as("finance").listPendingApprovals({ query: { threadId: "compat" } });
    expect(pending).toMatchObject({ approvalId: call.id, toolCallId: "call_0", status: "pending" });
    const { digest } = call;
    const body = { threadId: "compat", toolCallId: "call_0", action: "approve" } as const;
    expect(await problemOf(as("finance").approveTool({ body }))).toMatchObject({ code: "digest_required" });
    const other = { ...body, digest: "0".repeat(64) };
    expect(await problemOf(as("finance").approveTool({ body: other }))).toMatchObject({
      code: "digest_mismatch",
    });
    expect((await as("finance").approveTool({ body: { ...body, digest } })).status).toBe("approved");
    const unknown = { ...body, digest, toolCallId: "other" };
    expect(await problemOf(as("finance").approveTool({ body: unknown }))).toMatchObject({ status: 404 });
  });
});
