import { createTestHarness } from "@countersign/testing";
import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, idempotent } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";

async function openDesk({ again = false } = {}) {
  const refunded: number[] = [];
  const refund = createTool({
    name: "refund",
    parameters: z.object({ amount: z.number() }),
    handler: ({ amount }) => {
      refunded.push(amount);
    },
  });
  const desk = await createTestHarness({
    patience: "60s",
    policy: definePolicy({ tools: { refund: ask() } }),
    tools: [again ? idempotent(refund) : refund],
    reply: ({ messages }) =>
      messages.at(-1)?.role === "user"
        ? { toolCalls: [{ name: "refund", input: { amount: 80 } }] }
        : { text: "That was it." },
  });
  const turn = await desk.say("Refund my order");
  const [call] = await turn.pending();
  return { desk, refunded, turn, call };
}

describe("a simulated crash", () => {
  it.each([
    ["", () => {}],
    [
      ", although another test of the same process has removed the hook of crash points",
      async () => {
        await using _ = (await openDesk()).desk;
        Reflect.deleteProperty(globalThis, Symbol.for("countersign:crash-point"));
      },
    ],
  ])("before the claim has no effect: the call runs once%s", async (_, before) => {
    await before();
    const { desk, refunded, turn, call } = await openDesk();
    await using _desk = desk;
    const crash = desk.crashAt("before-claim");
    await desk.decide(call, { type: "approve" });
    await turn.ended();
    expect([crash.happened, refunded]).toEqual([1, [80]]);
    expect((await desk.approval(call)).status).toBe("executed");
  });

  it.each(["after-claim", "after-handler"] as const)(
    "%s interrupts the call, which does not start again",
    async (point) => {
      const { desk, refunded, turn, call } = await openDesk();
      await using _ = desk;
      const before = desk.countersign;
      const crash = desk.crashAt(point);
      await desk.decide(call, { type: "approve" });
      await turn.ended();
      expect(crash.happened).toBe(1);
      expect(desk.countersign).not.toBe(before);
      expect((await desk.approval(call)).status).toBe("interrupted");
      expect(refunded).toHaveLength(point === "after-handler" ? 1 : 0);
      await desk.assertValidTranscripts();
    },
  );

  it("after the handler starts an idempotent call again", async () => {
    const { desk, refunded, turn, call } = await openDesk({ again: true });
    await using _ = desk;
    desk.crashAt("after-handler");
    await desk.decide(call, { type: "approve" });
    await turn.ended();
    expect(refunded).toEqual([80, 80]);
  });

  it("after a decision makes decide reject, and the relay then wakes the run", async () => {
    const { desk, refunded, turn, call } = await openDesk();
    await using _ = desk;
    desk.crashAt("after-decision");
    await expect(desk.decide(call, { type: "approve" })).rejects.toThrow('died at "after-decision"');
    expect((await desk.approval(call)).status).toBe("approved");
    await desk.advance("2m");
    await turn.ended();
    expect(refunded).toEqual([80]);
  });
});

describe("a lost wake-up", () => {
  it("is sent again by the relay", async () => {
    const { desk, refunded, turn, call } = await openDesk();
    await using _ = desk;
    const lost = desk.dropWakeUps();
    await desk.decide(call, { type: "approve" });
    expect([lost.happened, refunded]).toEqual([1, []]);
    await desk.advance("2m");
    await turn.ended();
    expect([lost.happened, refunded]).toEqual([1, [80]]);
  });
});

describe("the audit log of a harness", () => {
  it("has the entries of one call and of the whole tenant", async () => {
    const { desk, turn, call } = await openDesk();
    await using _ = desk;
    await desk.decide(call, { type: "approve" });
    await turn.ended();
    const entries = (await desk.audit(call)).map(({ type }) => type);
    expect(entries).toEqual(
      expect.arrayContaining(["approval.announced", "approval.approved", "approval.executed"]),
    );
    expect((await desk.audit()).length).toBeGreaterThanOrEqual(entries.length);
  });
});
