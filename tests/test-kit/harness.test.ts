import { type Conversation, createTestHarness, type TestHarnessOptions } from "@countersign/testing";
import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, deny } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const proposeRefund = ({ messages }: Conversation) =>
  messages.at(-1)?.role === "user"
    ? { toolCalls: [{ name: "refund", input: { amount: 80 } }] }
    : { text: "That was it." };

const adaAndBen = { people: { ada: { id: "ada", roles: ["finance"] }, ben: { id: "ben", roles: ["lead"] } } };

/** A harness with one tool, and the amounts that its handler has refunded. */
async function openDesk(
  options: Partial<TestHarnessOptions> = {},
  named: Pick<TestHarnessOptions, "people"> = adaAndBen,
) {
  const refunded: number[] = [];
  const desk = await createTestHarness({
    patience: "60s",
    policy: definePolicy({
      tools: {
        refund: ask({
          approvers: { roles: ["finance", "lead"] },
          decisions: ["approve", "edit", "deny"],
          editable: ["amount"],
          quorum: 1,
        }),
        erase: deny("Never"),
      },
    }),
    ...named,
    tools: [
      createTool({
        name: "refund",
        parameters: z.object({ amount: z.number() }),
        handler: ({ amount }) => {
          refunded.push(amount);
          return { refunded: amount };
        },
      }),
    ],
    reply: proposeRefund,
    ...options,
  });
  const turn = await desk.say("Refund my order");
  return { desk, refunded, turn };
}

describe.each(["openai", "anthropic"] as const)("the test kit with the model format %s", (format) => {
  it("runs a call after its approval, and keeps the conversation", async () => {
    const { desk, refunded, turn } = await openDesk({ format });
    await using _ = desk;
    const [call] = await turn.pending();
    expect(refunded).toEqual([]);
    expect(await desk.decide(call, { by: "ada", type: "approve" })).toMatchObject({ ok: true });
    await turn.ended();
    expect(refunded).toEqual([80]);
    expect((await turn.messages()).at(-1)).toMatchObject({ content: "That was it." });
    await desk.assertValidTranscripts();
  });
});

describe("the test kit", () => {
  it("lets several people decide at once, and exactly one of them wins", async () => {
    const { desk, refunded, turn } = await openDesk();
    await using _ = desk;
    const [call] = await desk.pending();
    const outcomes = await desk.race(call, [
      { by: "ada", type: "approve" },
      { by: "ben", type: "edit", input: { amount: 50 } },
    ]);
    await turn.ended();
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(outcomes.find(({ ok }) => !ok)).toMatchObject({ code: "already_decided" });
    expect(refunded).toHaveLength(1);
  });

  it("advances the time, and an undecided call expires", async () => {
    const { desk, refunded, turn } = await openDesk({ countersign: { timeout: "2 hours" } });
    await using _ = desk;
    const [call] = await desk.pending();
    await desk.advance("2 hours");
    await desk.advance("5s");
    await turn.ended();
    expect((await desk.approval(call)).status).toBe("expired");
    expect(refunded).toEqual([]);
  });

  it("decides every pending call with the callback of answerAll", async () => {
    const { desk, refunded, turn } = await openDesk();
    await using _ = desk;
    const stop = desk.answerAll(() => ({ by: "ben", type: "deny", reason: "Not today" }));
    await turn.ended();
    await stop();
    expect(refunded).toEqual([]);
    const asked = JSON.stringify(desk.model.requests.at(-1)?.body);
    expect(asked).toContain("Not today");
  });

  it("has an approver with the rule's roles if the options name no people", async () => {
    const { desk, refunded, turn } = await openDesk({}, {});
    await using _ = desk;
    const [call] = await desk.pending();
    expect(await desk.decide(call, { type: "approve" })).toMatchObject({
      ok: true,
      approval: { decision: { decidedBy: "approver", roles: ["finance", "lead"] } },
    });
    await turn.ended();
    expect(refunded).toEqual([80]);
  });

  it("refuses a person without the rule's roles, and names an unknown person", async () => {
    const { desk } = await openDesk({
      people: { eve: { id: "eve", roles: [] } },
    });
    await using _ = desk;
    const [call] = await desk.pending();
    expect(await desk.decide(call, { by: "eve", type: "approve" })).toMatchObject({ code: "not_found" });
    await expect(desk.decide(call, { by: "zoe", type: "approve" })).rejects.toThrow('Unknown person "zoe"');
  });
});
