import {
  createAgent,
  createNetwork,
  createTool,
  type HistoryConfig,
  type StateData,
} from "@inngest/agent-kit";
import { type ApprovalHistory, allow, ask, definePolicy, deny, durable, notify } from "countersign";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually, type Harness, openHarness, principals } from "../support/harness.js";
import type { HarnessOptions, RunWorld } from "../support/harness-options.js";
import { type HostCall, openHostHistory } from "../support/host-history.js";

// The proposal "Tool approval and HITL workflow in AgentKit", "Extending the HistoryConfig Interface": a host that
// implements the methods on its own HistoryConfig gets the approvals of its networks.

const crashPoint = Symbol.for("countersign:crash-point");
const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const requester = principals.requester as NonNullable<typeof principals.requester>;
const policy = definePolicy({
  tools: {
    refund: ask({ decisions: ["approve", "edit", "deny"], editable: ["amount"] }),
    lookup: allow(),
    email: deny(),
    erase: deny(),
  },
});

afterEach(() => {
  Reflect.deleteProperty(globalThis, crashPoint);
});

type HostHistory = HistoryConfig<StateData> & ApprovalHistory;

type Options = Partial<HarnessOptions> & {
  /** What the run does with the host's history. @default runs a network that has it */
  body?: (world: RunWorld, history: HostHistory) => Promise<unknown>;
  /** How the first calls of the host's methods fail. */
  failures?: readonly (Error | "hang")[];
};

/** An installation with a host's own history and a log, to which somebody has said something. */
async function openDesk({ body = runNetwork, failures = [], countersign, ...options }: Options = {}) {
  const database = await freshPostgres();
  const host = await openHostHistory(database.admin);
  host.fail(...failures);
  const logged: { message: string; fields: unknown }[] = [];
  const log = (message: string, fields?: unknown) => void logged.push({ message, fields });
  const desk = deskTools();
  const harness = await openHarness({
    database,
    policy,
    tools: desk.tools,
    reply: inTurns({ toolCalls: [refund] }),
    countersign: { logger: { info: () => {}, warn: log, error: log }, ...countersign },
    // A new process for each step would not know a network that only the function makes.
    checkpointing: true,
    run: (world) => body(world, host.history),
    ...options,
  });
  const { threadId, runId } = await harness.say("Refund A-1");
  return {
    harness,
    host,
    logged,
    effects: desk.effects,
    threadId,
    runId,
    /** The messages to the host about a call. */
    deliveries: async (id: string) =>
      (await harness.call("finance", `/approvals/${id}/deliveries`)).body.items,
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function runNetwork(
  { countersign, agent, state, message }: RunWorld,
  history: object,
  name = "support",
): Promise<unknown> {
  const network = createNetwork<StateData>({
    name,
    agents: [agent],
    maxIter: 8,
    history,
    router: ({ lastResult, callCount }) =>
      callCount === 0 || lastResult?.output.some((part) => part.type === "tool_call") ? agent : undefined,
  });
  await countersign.guard(network).run(message, { state });
  return "done";
}

/** Waits until the host's methods have succeeded this often, while the relay runs every minute. */
const told = ({ harness, host }: { harness: Harness; host: { calls: HostCall[] } }, count: number) =>
  harness.onceAtRest(async () => {
    if (host.calls.length >= count) return host.calls;
    await harness.clock.advance("5s");
    return undefined;
  }, `the host was told ${count} times`);

const runHasEnded = (harness: Harness, runId: string) =>
  harness.onceAtRest(
    async () => ((await harness.runStatus(runId)).status === "Completed" ? true : undefined),
    "the run has ended",
  );

describe("a HistoryConfig of the host", () => {
  it.each([
    { type: "approve", status: "approved", ran: [refund.input] },
    { type: "deny", status: "denied", ran: [] },
    {
      type: "edit",
      input: { id: "A-1", amount: 20 },
      status: "approved",
      ran: [{ id: "A-1", amount: 20 }],
    },
  ])("gets a call and then its decision: $type", async ({ status, ran, ...decision }) => {
    await using desk = await openDesk();
    const { harness, host, threadId } = desk;
    const approval = await harness.onlyPending();
    await told(desk, 1);
    const saved = {
      approvalId: approval.id,
      threadId,
      eventIdToWaitFor: approval.requestId,
      toolName: "refund",
      toolInput: { id: "A-1", amount: 80 },
      toolCallId: expect.stringMatching(/./),
      createdAt: new Date(approval.createdAt),
      expiresAt: new Date(approval.expiresAt ?? 0),
    };
    expect(host.calls).toEqual([{ save: { ...saved, status: "pending", tenantId: "acme" } }]);
    const { toolCallId: _, ...listed } = saved;
    expect(await host.history.listPendingApprovals({ threadId })).toEqual([{ ...listed, status: "pending" }]);
    const { id, digest } = approval;
    const answer = await harness.call("finance", `/approvals/${id}/decision`, {
      method: "POST",
      body: { ...decision, digest },
    });
    expect(answer.status).toBe(200);
    await runHasEnded(harness, desk.runId);
    await told(desk, 2);
    const { decision: decided } = await harness.approval(id);
    expect(host.attempts.slice(1)).toEqual([
      {
        resolve: {
          approvalId: id,
          status,
          resolvedAt: new Date(decided?.decidedAt ?? 0),
          resolvedBy: "finance",
          tenantId: "acme",
        },
      },
    ]);
    expect(await host.history.listPendingApprovals({ threadId })).toEqual([]);
    expect(desk.effects.map(({ input }) => input)).toEqual(ran);
    expect(await desk.deliveries(id)).toMatchObject([
      { channel: "network-history/support", recipient: "support", event: "approval.pending", state: "sent" },
      { channel: "network-history/support", recipient: "support", event: "approval.decided", state: "sent" },
    ]);
  });

  it("gets a call that nobody decides in time as denied by nobody", async () => {
    await using desk = await openDesk();
    const { harness, host } = desk;
    const { id, expiresAt } = await harness.onlyPending();
    await told(desk, 1);
    await harness.clock.advance("31m");
    await told(desk, 2);
    expect(host.names()).toEqual(["save", "resolve"]);
    const [, end] = host.calls;
    expect(end).toEqual({
      resolve: { approvalId: id, status: "denied", resolvedAt: expect.any(Date), tenantId: "acme" },
    });
    expect(end && "resolve" in end && end.resolve.resolvedAt >= new Date(expiresAt ?? "")).toBe(true);
    expect(desk.effects).toEqual([]);
  });

  it("gets a call whose run is cancelled as denied by nobody", async () => {
    await using desk = await openDesk();
    const { harness, host, runId } = desk;
    const { id } = await harness.onlyPending();
    await told(desk, 1);
    await harness.store.withdrawRun(runId, "run_cancelled");
    await told(desk, 2);
    expect(host.names()).toEqual(["save", "resolve"]);
    expect(host.calls[1]).toEqual({
      resolve: { approvalId: id, status: "denied", resolvedAt: expect.any(Date), tenantId: "acme" },
    });
  });

  it("gets the call again with its new deadline if a person extends it", async () => {
    const extendable = definePolicy({ tools: { refund: ask({ extensions: 1 }) } });
    await using desk = await openDesk({ policy: extendable });
    const { harness, host } = desk;
    const { id, digest } = await harness.onlyPending();
    await told(desk, 1);
    const extended = await harness.call("finance", `/approvals/${id}/extend`, {
      method: "POST",
      body: { by: "10m" },
    });
    expect(extended.status).toBe(200);
    await told(desk, 2);
    await harness.decide({ id, digest }, "approve");
    await told(desk, 3);
    expect(host.names()).toEqual(["save", "save", "resolve"]);
    expect(host.calls[1]).toMatchObject({ save: { expiresAt: new Date(extended.body.expiresAt) } });
  });

  it("gets the arguments that channels may see", async () => {
    const redacting = definePolicy({ tools: { refund: ask({ redact: ["id"] }) } });
    await using desk = await openDesk({ policy: redacting });
    await told(desk, 1);
    expect(desk.host.calls).toMatchObject([{ save: { toolInput: { amount: 80 } } }]);
    expect(JSON.stringify(desk.host.calls)).not.toContain("A-1");
  });

  it("gets nothing about calls for which nobody was asked", async () => {
    const unasked = definePolicy({ tools: { refund: notify(), erase: deny("Never"), email: ask() } });
    await using desk = await openDesk({
      policy: unasked,
      reply: inTurns(
        { toolCalls: [refund, { name: "erase", input: { id: "A-1" } }] },
        { toolCalls: [{ name: "email", input: { to: "ada", text: "Done" } }] },
      ),
    });
    const { harness, host, runId } = desk;
    const { id, digest } = await harness.onlyPending();
    await harness.decide({ id, digest }, "approve");
    await runHasEnded(harness, runId);
    await told(desk, 2);
    expect(host.attempts.map((call) => ("save" in call ? call.save : call.resolve).approvalId)).toEqual([
      id,
      id,
    ]);
  });

  it("may have only one of the methods", async () => {
    await using desk = await openDesk({
      body: (world, { savePendingApproval }) => runNetwork(world, { savePendingApproval }),
    });
    const { harness, host, runId } = desk;
    const approval = await harness.onlyPending();
    await told(desk, 1);
    await harness.decide(approval, "approve");
    await runHasEnded(harness, runId);
    await harness.onceAtRest(async () => {
      const [, end] = await desk.deliveries(approval.id);
      return end?.state === "sent" ? end : undefined;
    }, "the decision was processed");
    expect(host.names()).toEqual(["save"]);
  });

  it("may be countersign.history with one method of the host's", async () => {
    await using desk = await openDesk({
      body: (world, { savePendingApproval }) =>
        runNetwork(world, { ...world.countersign.history, savePendingApproval }),
    });
    const approval = await desk.harness.onlyPending();
    await told(desk, 1);
    await desk.harness.decide(approval, "approve");
    await runHasEnded(desk.harness, desk.runId);
    expect(desk.host.names()).toEqual(["save"]);
    const thread = await desk.harness.countersign.threads.read(desk.threadId, requester);
    expect(thread.status).toBe("done");
  });

  it.each([
    { what: "itself", historyOf: (own: object) => own },
    { what: "a copy", historyOf: (own: object) => ({ ...own }) },
  ])("is not countersign.history, $what, which has the approvals already", async ({ historyOf }) => {
    await using desk = await openDesk({
      body: (world) => runNetwork(world, historyOf(world.countersign.history)),
    });
    const { harness } = desk;
    const approval = await harness.onlyPending();
    await harness.decide(approval, "approve");
    await runHasEnded(harness, desk.runId);
    expect(await desk.deliveries(approval.id)).toEqual([]);
  });

  it.each(["Übersicht: 50 % / Ost:1", "\0\ud800 support", "long ".repeat(100)])(
    "gets the calls of a network named %j",
    async (name) => {
      await using desk = await openDesk({ body: (world, history) => runNetwork(world, history, name) });
      const approval = await desk.harness.onlyPending();
      await told(desk, 1);
      await desk.harness.decide(approval, "approve");
      await told(desk, 2);
      expect(desk.host.names()).toEqual(["save", "resolve"]);
    },
  );

  it("gets the calls of an agent that runs alone", async () => {
    await using desk = await openDesk({
      body: ({ countersign, agent: { name, system, tools, model }, state, message }, history) => {
        const agent = createAgent<StateData>({
          ...{ name, system, tools: [...tools.values()], history },
          ...(model && { model }),
        });
        return countersign.guard(agent).run(message, { state, maxIter: 5 });
      },
    });
    const approval = await desk.harness.onlyPending();
    await told(desk, 1);
    await desk.harness.decide(approval, "approve");
    await runHasEnded(desk.harness, desk.runId);
    await told(desk, 2);
    expect(desk.host.names()).toEqual(["save", "resolve"]);
    expect(await desk.deliveries(approval.id)).toMatchObject([
      { channel: "agent-history/support", event: "approval.pending" },
      { channel: "agent-history/support", event: "approval.decided" },
    ]);
  });

  it("gets the calls of an agent that a tool of its network starts", async () => {
    const { tools, effects } = deskTools();
    await using desk = await openDesk({
      policy: definePolicy({ tools: { delegate: allow(), refund: ask() } }),
      tools: [],
      reply: (conversation) =>
        inTurns({
          toolCalls: [conversation.system.includes("clerk") ? refund : { name: "delegate", input: {} }],
        })(conversation),
      body: (world, history) => {
        const { model } = world.agent;
        const clerk = createAgent({
          name: "clerk",
          system: "You are the clerk.",
          tools,
          ...(model && { model }),
        });
        const delegate = createTool({
          name: "delegate",
          parameters: z.object({}),
          handler: async () => {
            await clerk.run("Refund A-1, please", { maxIter: 3 });
            return "The clerk was asked.";
          },
        });
        world.agent.tools.set("delegate", durable(delegate));
        return runNetwork(world, history);
      },
    });
    const approval = await desk.harness.onlyPending();
    await desk.harness.decide(approval, "approve");
    await runHasEnded(desk.harness, desk.runId);
    await told(desk, 2);
    expect(desk.host.names()).toEqual(["save", "resolve"]);
    expect(effects).toHaveLength(1);
  });
});

describe("a host's history that fails", () => {
  const down = () => Object.assign(new Error("connect postgres://desk:hunter2@db"), { code: "ECONNREFUSED" });
  const forLong = Array.from({ length: 1_000 }, down);

  it("delays neither the decision nor the run, is reported, and gets both calls later in their order", async () => {
    await using desk = await openDesk({ failures: forLong });
    const { harness, host, logged } = desk;
    const approval = await harness.onlyPending();
    await eventually(() => host.attempts[0], "the host was tried");
    expect((await harness.decide(approval, "approve")).status).toBe(200);
    await runHasEnded(harness, desk.runId);
    expect(desk.effects).toHaveLength(1);
    for (const event of ["approval.pending", "approval.decided"]) {
      const failed = {
        message: "An attempt at a delivery has failed",
        fields: expect.objectContaining({
          ...{ channel: "network-history/support", event, approvalId: approval.id },
          error: "The channel threw Error (ECONNREFUSED)",
        }),
      };
      await expect.poll(() => logged).toContainEqual(failed);
    }
    expect(host.calls).toEqual([]);
    const lastError = "The channel threw Error (ECONNREFUSED)";
    expect(await desk.deliveries(approval.id)).toMatchObject([
      { event: "approval.pending" },
      { event: "approval.decided", state: "due", lastError },
    ]);
    host.recover();
    await told(desk, 2);
    expect(host.names()).toEqual(["save", "resolve"]);
    expect(JSON.stringify(logged)).not.toContain("hunter2");
  });

  it("gets the decision that came while it was down", async () => {
    await using desk = await openDesk();
    const { harness, host } = desk;
    const approval = await harness.onlyPending();
    await told(desk, 1);
    host.fail(...forLong);
    await harness.decide(approval, "deny");
    await runHasEnded(harness, desk.runId);
    await eventually(() => (host.attempts.length > 1 ? true : undefined), "the host was tried");
    expect(host.names()).toEqual(["save"]);
    host.recover();
    await told(desk, 2);
    expect(host.names()).toEqual(["save", "resolve"]);
    expect(host.calls[1]).toMatchObject({ resolve: { status: "denied", resolvedBy: "finance" } });
  });

  it("holds up nothing if it never answers", async () => {
    await using desk = await openDesk({ failures: Array.from({ length: 1_000 }, () => "hang" as const) });
    const { harness, host } = desk;
    const approval = await harness.onlyPending();
    await eventually(() => host.attempts[0], "the host was called");
    expect((await harness.decide(approval, "approve")).status).toBe(200);
    await runHasEnded(harness, desk.runId);
    expect(desk.effects).toHaveLength(1);
    expect(host.calls).toEqual([]);
  });

  it("gets a call again if the process died after the host saved it", async () => {
    let died = 0;
    Reflect.set(globalThis, crashPoint, (name: string) => {
      if (name === "after-send" && died++ === 0) throw new Error("died");
    });
    await using desk = await openDesk();
    const approval = await desk.harness.onlyPending();
    await told(desk, 2);
    expect(desk.host.names()).toEqual(["save", "save"]);
    expect(desk.host.calls[1]).toEqual(desk.host.calls[0]);
    await desk.harness.decide(approval, "approve");
    await told(desk, 3);
    expect(desk.host.names()).toEqual(["save", "save", "resolve"]);
  });
});

describe("a process that started after the call was proposed", () => {
  const forLong = Array.from({ length: 1_000 }, () => new Error("down"));

  it("leaves the messages due until a run tells it the history", async () => {
    await using desk = await openDesk({ failures: forLong });
    const { harness, host } = desk;
    const approval = await harness.onlyPending();
    await eventually(() => host.attempts[0], "the host was tried");
    harness.redeploy({});
    const tried = host.attempts.length;
    await harness.onceAtRest(async () => {
      await harness.clock.advance("1m");
      const runs = await harness.functionRuns("countersign-relay");
      return runs.filter(({ status }) => status === "Completed").length > 3 ? runs : undefined;
    }, "the relay has run several times");
    expect(host.attempts).toHaveLength(tried);
    expect(host.calls).toEqual([]);
    expect(await desk.deliveries(approval.id)).toMatchObject([{ event: "approval.pending", state: "due" }]);
    host.recover();
    await harness.decide(approval, "approve");
    await runHasEnded(harness, desk.runId);
    await told(desk, 2);
    expect(host.names()).toEqual(["save", "resolve"]);
  });

  it("knows the history of a network that it guards at its start", async () => {
    await using desk = await openDesk({ failures: forLong });
    const { harness, host } = desk;
    await harness.onlyPending();
    await eventually(() => host.attempts[0], "the first history was tried");
    const saved: string[] = [];
    const history: HostHistory = {
      savePendingApproval: async ({ approvalId }) => void saved.push(approvalId),
    };
    harness.countersign.guard(createNetwork<StateData>({ name: "support", agents: [], history }));
    await harness.onceAtRest(async () => {
      if (saved.length > 0) return saved;
      await harness.clock.advance("5s");
      return undefined;
    }, "the latest history of this name was told");
    expect(host.calls).toEqual([]);
  });
});
