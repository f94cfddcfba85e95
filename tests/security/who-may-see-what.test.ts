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

describe("an approval, in the list and by its id,", () => {
  it.each<[string, Principal, number]>([
    ["is shown to a person who may decide it", { id: "anna", tenantId: "acme", roles: ["finance"] }, 1],
    ["is shown to its requester", { id: "requester", tenantId: "acme", roles: [] }, 1],
    ["is hidden from a person with another role", { id: "berta", tenantId: "acme", roles: ["requester"] }, 0],
    ["is hidden from a person without a role", { id: "carl", tenantId: "acme", roles: [] }, 0],
    [
      "is hidden from a person with the requester's id in another tenant",
      { id: "requester", tenantId: "other", roles: ["finance"] },
      0,
    ],
  ])("%s", async (_what, principal, count) => {
    await using waiting = await openWaiting();
    const { harness, approval } = waiting;
    const api = approvalsApi(harness.countersign, { authenticate: () => principal });
    const list = (await (await api.request("/approvals")).json()) as { items: { id: string }[] };
    expect(list.items).toHaveLength(count);
    expect((await api.request(`/approvals/${approval.id}`)).status).toBe(count === 1 ? 200 : 404);
  });
});

describe("resolvePendingApproval of HistoryConfig", () => {
  it("decides only for a person with a role of the approvers", async () => {
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

describe("a decision after another one", () => {
  it("is refused and names the first decider, even if the approved call was withdrawn", async () => {
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

  it("is accepted as a repetition only with the same digest", async () => {
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

it("a thread is shown as failed after its run has failed", async () => {
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

it("a run that continues somebody else's thread fails at its first attempt, without a model request", async () => {
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

it("redacted values are hidden in the conversation that approvers see, but not from their author", async () => {
  const request = "Charge 4111 1111 1111 1111 with the code 4711-ABCD";
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
  const { runId, threadId } = await harness.say(request);
  const approval = await harness.onlyPending();
  const approverView = JSON.stringify((await harness.call("finance", `/approvals/${approval.id}`)).body);
  expect(approverView).toContain("Charge [hidden] with the code [hidden]");
  for (const secret of ["4111 1111", "4711-ABCD"]) expect(approverView).not.toContain(secret);
  const own = (await harness.call("requester", `/threads/${threadId}`)).body;
  expect(own.messages[0].content).toBe(request);
  await harness.decide(approval, "deny");
  await harness.ended(runId);
});
