import { createAgent, createTool, type StateData } from "@inngest/agent-kit";
import { allow, ask, definePolicy, deny, durable, notify } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { principals } from "../support/harness.js";
import { openHistoryDesk, refund, runHasEnded, runNetwork, told } from "../support/host-history-desk.js";

// The proposal "Tool approval and HITL workflow in AgentKit", "Extending the HistoryConfig Interface": a host that
// implements the methods on its own HistoryConfig gets the approvals of its networks.

const requester = principals.requester as NonNullable<typeof principals.requester>;

describe("a HistoryConfig of the host", () => {
  it.each([
    { type: "deny", status: "denied", ran: [] },
    {
      type: "edit",
      input: { id: "A-1", amount: 20 },
      status: "approved",
      ran: [{ id: "A-1", amount: 20 }],
    },
  ])("gets a call and then its decision: $type", async ({ status, ran, ...decision }) => {
    await using desk = await openHistoryDesk();
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
    await using desk = await openHistoryDesk();
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
    await using desk = await openHistoryDesk();
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
    await using desk = await openHistoryDesk({ policy: extendable });
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
    await using desk = await openHistoryDesk({ policy: redacting });
    await told(desk, 1);
    expect(desk.host.calls).toMatchObject([{ save: { toolInput: { amount: 80 } } }]);
    expect(JSON.stringify(desk.host.calls)).not.toContain("A-1");
  });

  it("gets nothing about calls for which nobody was asked", async () => {
    const unasked = definePolicy({ tools: { refund: notify(), erase: deny("Never"), email: ask() } });
    await using desk = await openHistoryDesk({
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
    await using desk = await openHistoryDesk({
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
    await using desk = await openHistoryDesk({
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

  it("is not a copy of countersign.history, which has the approvals already", async () => {
    await using desk = await openHistoryDesk({
      body: (world) => runNetwork(world, { ...world.countersign.history }),
    });
    const { harness } = desk;
    const approval = await harness.onlyPending();
    await harness.decide(approval, "approve");
    await runHasEnded(harness, desk.runId);
    expect(await desk.deliveries(approval.id)).toEqual([]);
  });

  it("gets the calls of a network with any name", async () => {
    const name = `\0\ud800 Übersicht: 50 % / Ost:1${" long".repeat(100)}`;
    await using desk = await openHistoryDesk({
      body: (world, history) => runNetwork(world, history, name),
    });
    const approval = await desk.harness.onlyPending();
    await told(desk, 1);
    await desk.harness.decide(approval, "approve");
    await told(desk, 2);
    expect(desk.host.names()).toEqual(["save", "resolve"]);
  });

  it("gets the calls of an agent that runs alone", async () => {
    await using desk = await openHistoryDesk({
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
    await using desk = await openHistoryDesk({
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
