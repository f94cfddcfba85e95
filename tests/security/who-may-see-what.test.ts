import { ask, definePolicy, deny, type Policy, type Principal } from "countersign";
import { approvalsApi } from "countersign/hono";
import { NonRetriableError } from "inngest";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually, openHarness } from "../support/harness.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const refund = { toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] };
const byFinance = definePolicy({ tools: { refund: ask({ approvers: { roles: ["finance"] } }) } });

const openWaiting = (policy: Policy = byFinance) => openWaitingRefund({ policy });

describe("the list of approvals", () => {
  it.each<[string, Principal, number]>([
    ["who may decide", { id: "anna", tenantId: "acme", roles: ["finance"] }, 1],
    ["who asked for the call", { id: "requester", tenantId: "acme", roles: [] }, 1],
    ["anybody else with another role", { id: "berta", tenantId: "acme", roles: ["requester"] }, 0],
    ["anybody else without a role", { id: "carl", tenantId: "acme", roles: [] }, 0],
    ["a namesake in another tenant", { id: "requester", tenantId: "other", roles: ["finance"] }, 0],
  ])("shows %s what they may see", async (_who, principal, count) => {
    await using waiting = await openWaiting();
    const { harness, approval } = waiting;
    const api = approvalsApi(harness.countersign, { authenticate: () => principal });
    const list = (await (await api.request("/approvals")).json()) as { items: { id: string }[] };
    expect(list.items).toHaveLength(count);
    expect((await api.request(`/approvals/${approval.id}`)).status).toBe(count === 1 ? 200 : 404);
  });
});

describe("HistoryConfig's way to decide", () => {
  it("needs the roles that the call needs", async () => {
    await using waiting = await openWaiting();
    const { harness, approval } = waiting;
    const { history } = harness.countersign;
    const resolved = {
      approvalId: approval.id,
      status: "approved" as const,
      resolvedAt: new Date(),
      resolvedBy: "anna",
    };
    for (const roles of [undefined, [], ["sales"]]) {
      const details = roles ? { ...resolved, roles } : resolved;
      await expect(history.resolvePendingApproval(details)).rejects.toMatchObject({ code: "not_found" });
      expect((await harness.approval(approval.id)).status).toBe("pending");
    }
    await history.resolvePendingApproval({ ...resolved, roles: ["finance"] });
    await harness.ended(waiting.runId);
    expect(waiting.effects).toHaveLength(1);
    expect((await harness.approval(approval.id)).decision).toMatchObject({ decidedBy: "anna" });
  });
});

describe("whoever decides after somebody else", () => {
  it("is told who decided, also where the call was withdrawn after its approval", async () => {
    const rules = { now: byFinance };
    await using waiting = await openWaiting({
      get version() {
        return rules.now.version;
      },
      evaluate: (call) => rules.now.evaluate(call),
      explain: (call) => rules.now.explain(call),
      profiles: [],
    });
    const { harness, approval } = waiting;
    await harness.engine.stop();
    await harness.decide(approval, "approve");
    rules.now = definePolicy({ tools: { refund: deny("Frozen") } });
    await harness.engine.start();
    await harness.ended(waiting.runId);
    expect(await harness.approval(approval.id)).toMatchObject({
      status: "withdrawn",
      withdrawalCause: "policy_changed",
    });
    expect(await harness.decide(approval, "deny", "finance")).toMatchObject({
      status: 409,
      body: { code: "already_decided", decidedBy: "finance", approvalStatus: "withdrawn" },
    });
  });

  it("does not repeat a decision when it names another digest", async () => {
    await using waiting = await openWaiting();
    const { harness, approval } = waiting;
    expect((await harness.decide(approval, "approve")).status).toBe(200);
    expect((await harness.decide(approval, "approve")).status).toBe(200);
    expect(await harness.decide({ ...approval, digest: "0".repeat(64) }, "approve")).toMatchObject({
      status: 409,
      body: { code: "already_decided" },
    });
  });
});

it("shows a thread whose run failed as failed, and its waiting call as withdrawn", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  await using harness = await openHarness({
    database,
    tools,
    reply: inTurns(refund),
    agent: {
      lifecycle: {
        onFinish: () => {
          throw new NonRetriableError("Nothing works today");
        },
      },
    },
  });
  const { runId, threadId } = await harness.say("Refund A-1");
  expect((await harness.call("requester", `/threads/${threadId}`)).body.status).not.toBe("failed");
  await harness.decide(await harness.onlyPending(), "deny");
  await harness.ended(runId, "Failed");
  await eventually(async () => {
    const { body } = await harness.call("requester", `/threads/${threadId}`);
    return body.status === "failed" ? true : undefined;
  }, "the thread is failed");
  expect(effects).toEqual([]);
});

it("fails a run that continues somebody else's thread, at its first attempt", async () => {
  await using database = await freshPostgres();
  const attempts: number[] = [];
  await using harness = await openHarness({
    database,
    tools: [],
    reply: () => ({ text: "Hello" }),
    countersign: { context: () => ({ requester: { id: "somebody-else" } }) },
    run: async ({ countersign, agent, state, message, attempt }) => {
      attempts.push(attempt);
      const { createNetwork } = await import("@inngest/agent-kit");
      const network = createNetwork({ name: "desk", agents: [agent], history: countersign.history });
      await countersign.guard(network).run(message, { state });
    },
  });
  const { runId } = await harness.say("Go on");
  const run = await harness.ended(runId, "Failed");
  expect(JSON.stringify(run.output)).toContain("cannot continue thread");
  expect(new Set(attempts)).toEqual(new Set([0]));
  expect(harness.model.requests).toEqual([]);
});

it("what a call hides is hidden in the words of the conversation beside it, but for who wrote them", async () => {
  const said = "Charge 4111 1111 1111 1111 with the code 4711-ABCD";
  await using database = await freshPostgres();
  const { tools } = deskTools();
  await using harness = await openHarness({
    database,
    tools,
    policy: definePolicy({ tools: { refund: ask({ redact: ["id"] }) } }),
    countersign: { redactPatterns: ["card_number"] },
    reply: inTurns({
      text: "I shall use 4711-ABCD.",
      toolCalls: [{ name: "refund", input: { id: "4711-ABCD", amount: 8 } }],
    }),
  });
  const { runId, threadId } = await harness.say(said);
  const approval = await harness.onlyPending();
  const shown = JSON.stringify((await harness.call("finance", `/approvals/${approval.id}`)).body);
  expect(shown).toContain("Charge [hidden] with the code [hidden]");
  for (const secret of ["4111 1111", "4711-ABCD"]) expect(shown).not.toContain(secret);
  const own = (await harness.call("requester", `/threads/${threadId}`)).body;
  expect(own.messages[0].content).toBe(said);
  await harness.decide(approval, "deny");
  await harness.ended(runId);
});
