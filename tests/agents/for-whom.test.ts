import { createNetwork, createState, type StateData } from "@inngest/agent-kit";
import { allow, ask, definePolicy } from "countersign";
import type { CountersignOptions } from "countersign/agent-kit";
import type { ApprovalView } from "countersign/hono";
import { describe, expect, it } from "vitest";
import { type Handed, openDesk, payingAgent } from "../support/agents/sub-agent-desk.js";
import { freshPostgres } from "../support/databases.js";
import { eventually, type Harness, principals } from "../support/harness.js";

type Context = NonNullable<CountersignOptions["context"]>;
type Delegate = NonNullable<Parameters<typeof openDesk>[0]["delegate"]>;

const fourEyes = definePolicy({
  tools: { delegate: allow(), pay: ask({ requesterMayNotApprove: true }) },
});

/** Takes tenant and requester from the state, and omits those that the state lacks. */
const fromState: Context = ({ state: { data } }) => ({
  ...(data.tenantId !== undefined && { tenantId: data.tenantId }),
  ...(data.userId !== undefined && { requester: { id: data.userId } }),
});

/** Opens a desk whose runs have the requester `userId`, and whose tool `delegate` starts a sub-agent. */
function openFor(userId: string | undefined, delegate: Delegate, context: Context = fromState) {
  return async (database: Awaited<ReturnType<typeof freshPostgres>>) =>
    openDesk({
      database,
      delegate,
      policy: fourEyes,
      countersign: { context },
      run: async ({ countersign, agent, state, message }) => {
        if (userId !== undefined) Object.assign(state.data, { userId });
        await countersign.guard(agent).run(message, { state, maxIter: 2 });
      },
    });
}

const audit = async (harness: Harness, id: string) => harness.store.auditTrail("acme", id);

describe("a sub-agent", () => {
  const ways: { way: string; delegate: (guard: <A extends object>(agent: A) => A) => Delegate }[] = [
    { way: "without a state", delegate: () => (desk, pay) => payingAgent(desk, pay).run("Pay") },
    {
      way: "with a state of its own",
      delegate: () => (desk, pay) =>
        payingAgent(desk, pay).run("Pay", { state: createState<StateData>({ topic: "invoices" }) }),
    },
    {
      way: "in a network of its own",
      delegate: () => (desk, pay) => {
        const billing = payingAgent(desk, pay);
        return createNetwork<StateData>({
          name: "billing",
          agents: [billing],
          router: ({ callCount }) => (callCount === 0 ? billing : undefined),
        }).run("Pay", { state: { data: { topic: "invoices" } } });
      },
    },
    {
      way: "with the network of its caller",
      delegate: () => (desk, pay) => payingAgent(desk, pay).run("Pay", { network: desk.network }),
    },
    {
      way: "whose own state names another requester",
      delegate: () => (desk, pay) =>
        payingAgent(desk, pay).run("Pay", { state: createState<StateData>({ userId: "lead" }) }),
    },
    {
      way: "with a guard of its own",
      delegate: (guard) => (desk, pay) => guard(payingAgent(desk, pay)).run("Pay"),
    },
  ];

  it.each(ways)(
    "$way inherits its caller's requester, who may not approve its call",
    async ({ delegate }) => {
      await using database = await freshPostgres();
      const desks: { guard?: <A>(agent: A) => A } = {};
      const open = openFor(
        "finance",
        delegate((agent) => desks.guard?.(agent) ?? agent),
      );
      await using desk = await open(database);
      const { harness, payments } = desk;
      desks.guard = (agent) => harness.countersign.guard(agent as never);
      const { runId, threadId } = await harness.say("Pay the invoice");
      const approval = await harness.onlyPending();
      expect(approval).toMatchObject({ requesterId: "finance", threadId });
      const { status } = await harness.countersign.threads.read(threadId, principals.requester as never);
      expect(status).toBe("waiting");
      expect(await harness.decide(approval, "approve", "finance")).toMatchObject({
        status: 403,
        body: { code: "self_approval" },
      });
      expect(payments).toEqual([]);
      expect((await harness.decide(approval, "approve", "lead")).status).toBe(200);
      await harness.ended(runId);
      expect(payments).toEqual([{ amount: 80 }]);
    },
  );

  it("follows the rules of its caller's thread as well as those of its own", async () => {
    await using database = await freshPostgres();
    const rules = {
      outer: [{ tools: "pay", verdict: "ask", approvers: { roles: ["lead"] } }],
      own: [{ tools: "pay", verdict: "ask", risk: "critical" }],
    };
    const context: Context = ({ state: { data } }) => ({
      ...fromState({ state: { data } as never }),
      threadRules: data.own ? rules.own : data.userId ? rules.outer : [],
    });
    const open = openFor(
      "requester",
      (desk, pay) =>
        payingAgent(desk, pay).run("Pay", {
          state: createState<StateData>({ own: true }, { threadId: "t-own" }),
        }),
      context,
    );
    await using desk = await open(database);
    const { harness } = desk;
    const { runId } = await harness.say("Pay the invoice");
    const approval = await eventually(async () => {
      const { body } = await harness.call("lead", "/approvals?status=pending");
      return body.items[0] as ApprovalView | undefined;
    }, "the payment waits for the lead");
    expect(approval).toMatchObject({ threadId: "t-own", risk: "critical", approvers: { roles: ["lead"] } });
    expect((await harness.decide(approval, "approve", "finance")).status).toBe(404);
    await harness.decide(approval, "approve", "lead");
    await harness.ended(runId);
  });

  it("is named with its caller in the row, the API and the audit log", async () => {
    await using database = await freshPostgres();
    const open = openFor("requester", (desk, pay) => payingAgent(desk, pay).run("Pay"));
    await using desk = await open(database);
    const { harness } = desk;
    const { runId } = await harness.say("Pay the invoice");
    const { id, digest, agentName } = await harness.onlyPending();
    expect(agentName).toBe("support → billing");
    expect(await harness.store.getApproval("acme", id)).toMatchObject({ agentName: "support → billing" });
    const [proposed] = await audit(harness, id);
    expect(proposed).toMatchObject({ type: "approval.proposed", data: { agentName: "support → billing" } });
    await harness.decide({ id, digest }, "deny");
    await harness.ended(runId);
  });
});

describe("a sub-agent with an invalid context", () => {
  it.each([
    {
      what: "another tenant than its run's",
      data: { tenantId: "other" },
      message: "context: tenantId differs from that of the run",
    },
    {
      what: "the text undefined as the tenant",
      data: { tenantId: "undefined" },
      message: 'context: tenantId is the text \\"und',
    },
    {
      what: "an empty requester",
      data: { userId: " " },
      message: "context: requester.id must be a non-empty string",
    },
  ])("is refused before its model is asked: $what", async ({ data, message }) => {
    await using database = await freshPostgres();
    const open = openFor("requester", (desk, pay) =>
      payingAgent(desk, pay).run("Pay", { state: createState<StateData>(data) }),
    );
    await using desk = await open(database);
    const { runId } = await desk.harness.say("Pay the invoice");
    await desk.harness.ended(runId);
    expect(desk.told()).toContain("invalid_context");
    expect(desk.told().replaceAll('\\\\\\"', '\\"')).toContain(message);
    expect(desk.askedToPay()).toBe(0);
    expect(desk.payments).toEqual([]);
  });
});

describe("a context function", () => {
  const named = (context: Context) =>
    openFor("requester", (desk: Handed, pay) => payingAgent(desk, pay).run("Pay"), context);

  it.each([
    { field: "tenantId", context: () => ({ tenantId: String(undefined) }) },
    { field: "tenantId", context: () => ({ tenantId: "" }) },
    { field: "threadId", context: () => ({ threadId: "null" }) },
    { field: "requester.id", context: () => ({ requester: { id: String(null) } }) },
    { field: "requester.id", context: () => ({ requester: {} as never }) },
    { field: "context", context: async () => ({ requester: { id: "requester" } }) },
  ] as { field: string; context: Context }[])(
    "that returns an invalid $field fails the run: $context",
    async ({ field, context }) => {
      await using database = await freshPostgres();
      await using desk = await named(context)(database);
      const { runId } = await desk.harness.say("Pay the invoice");
      const { output } = await desk.harness.ended(runId, "Failed");
      expect(JSON.stringify(output)).toContain(`context: ${field} `);
      expect(await desk.harness.store.listApprovals({ tenantId: "undefined", limit: 1 })).toEqual([]);
    },
  );

  it("that throws for a sub-agent stops it, with the advice to return `outer`", async () => {
    await using database = await freshPostgres();
    const context: Context = ({ state }) => {
      if (typeof state.data.userId !== "string") throw new Error("The state has no userId");
      return { requester: { id: state.data.userId } };
    };
    await using desk = await named(context)(database);
    const { runId } = await desk.harness.say("Pay the invoice");
    await desk.harness.ended(runId);
    expect(desk.told()).toContain("(The state has no userId). Return the argument `outer`");
    expect(desk.askedToPay()).toBe(0);
  });

  it("that throws on a missing id can return `outer`, the context of the run that started the sub-agent", async () => {
    await using database = await freshPostgres();
    const context: Context = ({ state, outer }) => {
      if (outer) return outer;
      if (typeof state.data.userId !== "string") throw new Error("The state has no userId");
      return { requester: { id: state.data.userId } };
    };
    await using desk = await named(context)(database);
    const { runId } = await desk.harness.say("Pay the invoice");
    const approval = await desk.harness.onlyPending();
    expect(approval.requesterId).toBe("requester");
    await desk.harness.decide(approval, "deny");
    await desk.harness.ended(runId);
  });
});

describe("a rule with requesterMayNotApprove", () => {
  it("refuses a call without a requester and creates no approval", async () => {
    await using database = await freshPostgres();
    const open = openFor(undefined, (desk, pay) => payingAgent(desk, pay).run("Pay"));
    await using desk = await open(database);
    const { runId } = await desk.harness.say("Pay the invoice");
    await desk.harness.ended(runId);
    expect(desk.payments).toEqual([]);
    expect(await desk.harness.store.listApprovals({ tenantId: "acme", limit: 1 })).toEqual([]);
    const entries = await desk.harness.store.listAudit({ tenantId: "acme" });
    expect(entries).toContainEqual(
      expect.objectContaining({
        type: "call.refused",
        data: expect.objectContaining({ code: "no_requester" }),
      }),
    );
  });
});
