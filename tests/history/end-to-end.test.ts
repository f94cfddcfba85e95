import type { Conversation } from "@countersign/testing";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness, principals } from "../support/harness.js";

const requester = principals.requester as NonNullable<typeof principals.requester>;

describe("a thread", () => {
  it.each([true, false])(
    "keeps each message once and in order over two runs, checkpointing %s",
    async (checkpointing) => {
      await using database = await freshPostgres();
      const { tools } = deskTools();
      const sent: Conversation["messages"][] = [];
      const script = inTurns({ toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] });
      const reply = (conversation: Conversation) => {
        sent.push(conversation.messages);
        return script(conversation);
      };
      await using harness = await openHarness({ database, tools, reply, checkpointing });
      const first = await harness.say("First message");
      await harness.decide(await harness.onlyPending(), "approve");
      await harness.ended(first.runId);
      const second = await harness.say("Second message", first.threadId);
      await harness.decide(await harness.onlyPending(), "deny");
      await harness.ended(second.runId);

      const roles = (messages: Conversation["messages"] | undefined) =>
        messages?.map((turn) => (turn.role === "user" ? turn.text : turn.role));
      const round = ["assistant", "tool"];
      expect(roles(sent[2])).toEqual(["First message", ...round, "assistant", "Second message"]);
      expect(roles(sent[3])).toEqual(["First message", ...round, "assistant", "Second message", ...round]);
      const thread = await harness.countersign.threads.read(first.threadId, requester);
      expect(thread.status).toBe("done");
      expect(thread.messages.map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
        "assistant",
        "tool",
        "assistant",
      ]);
    },
  );

  it("belongs to the person who started it", async () => {
    await using database = await freshPostgres();
    await using harness = await openHarness({
      database,
      tools: deskTools().tools,
      reply: () => ({ text: "Hi" }),
    });
    const { threadId, runId } = await harness.say("Hello");
    await harness.ended(runId);
    const { threads } = harness.countersign;
    const lead = principals.lead as typeof requester;
    for (const other of [lead, principals.stranger as typeof requester]) {
      await expect(threads.open({ threadId, owner: other })).rejects.toMatchObject({
        code: "thread_not_found",
      });
      await expect(threads.read(threadId, other)).rejects.toMatchObject({ code: "thread_not_found" });
    }
    expect(await threads.open({ threadId, owner: requester })).toEqual({ threadId });
    expect((await threads.list(requester)).map(({ id }) => id)).toEqual([threadId]);
    expect(await threads.list(lead)).toEqual([]);
  });
});

describe("the pending approvals of HistoryConfig", () => {
  it("are saved, listed and resolved with the fields of its interface", async () => {
    await using database = await freshPostgres();
    await using harness = await openHarness({
      database,
      tools: deskTools().tools,
      reply: () => ({ text: "Hi" }),
    });
    const { history } = harness.countersign;
    const createdAt = new Date();
    const details = {
      approvalId: "approval-1",
      threadId: "thread-1",
      eventIdToWaitFor: "approval-approval-1",
      toolName: "send_email",
      toolInput: { to: "customer", body: "Hello" },
      toolCallId: "call-1",
      status: "pending" as const,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + 600_000),
    };
    await history.savePendingApproval(details);
    await history.savePendingApproval(details);
    const [pending, ...more] = await history.listPendingApprovals({ threadId: "thread-1" });
    expect(more).toEqual([]);
    expect(pending).toMatchObject({
      approvalId: "approval-1",
      threadId: "thread-1",
      toolName: "send_email",
      toolInput: details.toolInput,
      toolCallId: "call-1",
      status: "pending",
      createdAt: expect.any(Date),
      expiresAt: expect.any(Date),
      eventIdToWaitFor: expect.any(String),
    });
    const resolved = { approvalId: "approval-1", status: "approved" as const, resolvedAt: new Date() };
    await expect(history.resolvePendingApproval(resolved)).rejects.toThrow(/resolvedBy/);
    await history.resolvePendingApproval({ ...resolved, resolvedBy: "finance" });
    expect(await history.listPendingApprovals({ threadId: "thread-1" })).toEqual([]);
    expect(await history.listPendingApprovals({ threadId: "thread-1", status: "approved" })).toHaveLength(1);
    await expect(
      history.resolvePendingApproval({ ...resolved, status: "denied", resolvedBy: "lead" }),
    ).rejects.toMatchObject({
      code: "already_decided",
    });
    await expect(history.savePendingApproval({ ...details, toolName: "" })).rejects.toThrow(/toolName/);
  });

  it("include those of the agent's own calls", async () => {
    await using database = await freshPostgres();
    const reply = inTurns({ toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] });
    await using harness = await openHarness({ database, tools: deskTools().tools, reply });
    const { threadId } = await harness.say("Refund A-1");
    const approval = await harness.onlyPending();
    const { history } = harness.countersign;
    expect(await history.listPendingApprovals({ threadId })).toMatchObject([{ approvalId: approval.id }]);
    expect(await history.listPendingApprovals({ userId: "requester" })).toMatchObject([
      { approvalId: approval.id },
    ]);
    expect(await history.listPendingApprovals({ userId: "somebody" })).toEqual([]);
  });
});
