import { type AgentMessageChunk, createTool } from "@inngest/agent-kit";
import { allow, ask, definePolicy } from "countersign";
import { approvalsApi } from "countersign/hono";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openStreamedDesk, type StreamedDesk } from "../support/chat/streamed-desk.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { principals } from "../support/harness.js";
import { takeWarning } from "../support/run/warnings.js";

const refund = (id: string, amount = 80) => ({ name: "refund", input: { id, amount } });

const open = (options: Partial<Parameters<typeof openStreamedDesk>[0]> = {}) =>
  openStreamedDesk({
    tools: deskTools().tools,
    reply: inTurns({ text: "I will refund it.", toolCalls: [refund("A-1")] }, { text: "Done." }),
    ...options,
  });

const named = (desk: StreamedDesk, event: string, type?: string) =>
  desk.seen().filter((chunk) => chunk.event === event && (!type || chunk.data.type === type));

const parts = (chunks: readonly AgentMessageChunk[]) => chunks.map(({ data }) => data.partId);

/** The sequence numbers that AgentKit assigned; negative numbers are outside the sequence. */
const numbers = (desk: StreamedDesk) =>
  desk.seen().flatMap(({ sequenceNumber }) => (sequenceNumber < 0 ? [] : [sequenceNumber]));

describe("a streamed run", () => {
  it.each([true, false])(
    "shows a call before it waits, and its result in the same part, chunked %s",
    async (simulateChunking) => {
      await using desk = await open({ simulateChunking });
      const { harness } = desk;
      const { runId, threadId } = await harness.say("Refund A-1");
      const approval = await harness.onlyPending();

      const [created, ...others] = named(desk, "part.created");
      expect(others).toEqual([]);
      expect(created?.data).toMatchObject({ type: "tool-call", partId: approval.toolCallId, threadId });
      expect(named(desk, "part.completed", "tool-call").at(0)?.data.finalContent).toEqual({
        id: "A-1",
        amount: 80,
      });
      expect(named(desk, "hitl.requested").map(({ data }) => data)).toMatchObject([
        {
          requestId: approval.requestId,
          toolCalls: [{ partId: approval.toolCallId, toolName: "refund", digest: approval.digest }],
          expiresAt: expect.stringMatching(/Z$/),
          metadata: { riskLevel: "medium" },
        },
      ]);
      expect(named(desk, "hitl.resolved")).toEqual([]);

      await harness.decide(approval, "approve");
      await harness.ended(runId);
      expect(named(desk, "hitl.resolved").map(({ data }) => data)).toMatchObject([
        { requestId: approval.requestId, resolution: "approved", resolvedBy: "finance" },
      ]);
      const outputs = named(desk, "part.completed", "tool-output");
      expect(outputs.map(({ data }) => [data.partId, data.finalContent])).toEqual([
        [approval.toolCallId, { data: { ok: true } }],
      ]);
      // A second part would show the call twice, and a missing number would stop the client.
      expect(named(desk, "part.created", "tool-call")).toHaveLength(1);
      expect(numbers(desk)).toEqual(numbers(desk).map((_, index) => index));
    },
  );

  it("answers a denied call in the call's part, with the person's reason", async () => {
    await using desk = await open();
    const { harness } = desk;
    const { runId } = await harness.say("Refund A-1");
    const approval = await harness.onlyPending();
    await harness.decide(approval, "deny", "finance", "No receipt");
    await harness.ended(runId);

    const [answer, ...more] = named(desk, "part.completed", "tool-output");
    expect(more).toEqual([]);
    expect(answer?.data).toMatchObject({
      partId: approval.toolCallId,
      finalContent: { error: { code: "denied_by_person", message: expect.stringContaining("No receipt") } },
    });
    expect(named(desk, "hitl.resolved")[0]?.data).toMatchObject({
      resolution: "denied",
      reason: "No receipt",
      resolvedBy: "finance",
    });
  });

  it("has a separate part for each call of a response, also for a call that needs no approval", async () => {
    const reply = inTurns({
      toolCalls: [{ name: "lookup", input: { id: "A-1" } }, refund("A-1"), refund("A-2", 10)],
    });
    await using desk = await open({ reply });
    const { harness } = desk;
    const { runId } = await harness.say("Refund both");
    const [first, second] = await harness.pending(2);
    if (!first || !second) throw new Error("unreachable");
    await harness.decide(first, "deny");
    await harness.decide(second, "approve");
    await harness.ended(runId);

    expect(named(desk, "hitl.resolved")[0]?.data).toMatchObject({
      resolution: "partial",
      approvedTools: [second.toolCallId],
    });
    const created = parts(named(desk, "part.created", "tool-call"));
    expect(new Set(created).size).toBe(3);
    const outputs = named(desk, "part.completed", "tool-output");
    expect(new Set(parts(outputs))).toEqual(new Set(created));
    const content = new Map(outputs.map(({ data }) => [data.partId, data.finalContent]));
    expect(content.get(first.toolCallId)).toMatchObject({ error: { code: "denied_by_person" } });
    expect(content.get(second.toolCallId)).toEqual({ data: { ok: true } });
  });

  it("publishes the same events under the same ids in every replay", async () => {
    await using desk = await open({ replaying: "each-step" });
    const { harness } = desk;
    const { runId } = await harness.say("Refund A-1");
    await harness.decide(await harness.onlyPending(), "approve");
    await harness.ended(runId);

    const own = desk.chunks.filter(({ id }) => id.startsWith("countersign:"));
    const byId = new Map<string, Set<string>>();
    for (const { id, event, data } of own)
      byId.set(id, (byId.get(id) ?? new Set()).add(JSON.stringify({ event, data })));
    expect(byId.size).toBe(4);
    expect(own.length).toBeGreaterThan(4);
    for (const versions of byId.values()) expect(versions.size).toBe(1);
  });

  it("hides in arguments, edits and results what the policy redacts", async () => {
    const card = "4111 1111 1111 1111";
    const policy = definePolicy({
      tools: {
        lookup: allow(),
        refund: allow(),
        erase: allow(),
        email: ask({
          redact: ["to"],
          redactPatterns: ["card_number"],
          decisions: ["approve", "edit", "deny"],
          editable: ["to", "text"],
        }),
      },
    });
    const reply = inTurns({
      toolCalls: [{ name: "email", input: { to: "ada@secret.example", text: `Charged ${card}` } }],
    });
    const email = createTool({
      name: "email",
      parameters: z.object({ to: z.string(), text: z.string() }),
      handler: ({ to, text }) => ({ sentTo: to, text }),
    });
    await using desk = await open({ policy, reply, tools: [email], simulateChunking: true });
    const { harness } = desk;
    const { runId } = await harness.say("Write to Ada");
    const { id, digest } = await harness.onlyPending();
    const everything = approvalsApi(harness.countersign, {
      authenticate: () => principals.finance ?? null,
      fullViewRoles: ["finance"],
    });
    const edit = { to: "bob@secret.example", text: `We charged ${card}` };
    const response = await everything.request(`/approvals/${id}/decision`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ type: "edit", digest, input: edit }),
    });
    expect(response.status).toBe(200);
    await harness.ended(runId);
    expect(named(desk, "part.completed", "tool-output")[0]?.data.finalContent).toMatchObject({
      data: { sentTo: "[hidden]", text: "We charged [hidden]" },
    });
    expect(JSON.stringify(desk.chunks)).not.toMatch(/secret\.example|4111/);
  });

  it("waits for approval and completes even if the stream cannot be reached", async () => {
    takeWarning(/A waiting call could not be streamed/);
    await using desk = await open({
      publish: (chunk) => {
        if (chunk.sequenceNumber < 0) throw new Error("No connection");
      },
    });
    const { harness } = desk;
    const { runId } = await harness.say("Refund A-1");
    await harness.decide(await harness.onlyPending(), "approve");
    await harness.ended(runId);
  });
});
