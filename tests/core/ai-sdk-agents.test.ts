import { describe, expect, it } from "vitest";
import { kinds, openAgent, readBy } from "../support/loops/ai-agent.js";
import { hardestWay } from "../support/loops/ways.js";

describe("an unchanged agent of the AI SDK", () => {
  it.each(Object.entries(kinds))(
    "%s: calls of one response wait together, and run once",
    async (_kind, body) => {
      const calls: [string, object][] = [
        ["refund", { order: "A-1", amount: 80 }],
        ["look_up", { order: "A-1" }],
        ["refund", { order: "A-2" }],
      ];
      await using agent = await openAgent(calls, body, hardestWay);
      const { harness, ran, prompts } = agent;
      const { runId } = await harness.say("go");
      const [first, second] = await harness.pending(2);
      if (!first || !second) throw new Error("two calls wait");
      expect(ran).toEqual([]);
      expect(first).toMatchObject({ requestId: second.requestId, input: { order: "A-1", amount: 80 } });
      expect(second.input).toEqual({ order: "A-2" });
      await harness.decide(first, "approve");
      await harness.decide(second, "deny", "finance", "Too late");
      expect((await harness.ended(runId)).output).toBe("Done");
      expect(ran).toEqual([
        ["refund", { order: "A-1", amount: 80 }],
        ["look_up", { order: "A-1" }],
      ]);
      expect(prompts).toHaveLength(2);
      expect(readBy(prompts)).toEqual([
        ["c0", { type: "text", value: "80 for A-1 as c0" }],
        ["c1", { type: "json", value: { paid: 80 } }],
        ["c2", { type: "error-text", value: expect.stringContaining("Their reason: Too late.") }],
      ]);
    },
  );

  it("a tool's own needsApproval asks people, and nobody else", async () => {
    await using agent = await openAgent(
      [
        ["write", { to: "one" }],
        ["write", { to: "all" }],
      ],
      kinds.generateText,
      hardestWay,
    );
    const { runId } = await agent.harness.say("go");
    const call = await agent.harness.onlyPending();
    expect(call.input).toEqual({ to: "all" });
    await agent.harness.decide(call, "approve");
    expect((await agent.harness.ended(runId)).output).toBe("Done");
    expect(agent.ran).toEqual([
      ["write", { to: "one" }],
      ["write", { to: "all" }],
    ]);
  });

  it("the model reads that a person changed the arguments", async () => {
    await using agent = await openAgent(
      [["refund", { order: "A-1", amount: 80 }]],
      kinds.generateText,
      hardestWay,
    );
    const { runId } = await agent.harness.say("go");
    const { id, digest } = await agent.harness.onlyPending();
    const body = { type: "edit", digest, input: { order: "A-1", amount: 5 } };
    await agent.harness.call("finance", `/approvals/${id}/decision`, { method: "POST", body });
    await agent.harness.ended(runId);
    expect(agent.ran).toEqual([["refund", { order: "A-1", amount: 5 }]]);
    expect(readBy(agent.prompts)).toEqual([
      ["c0", { type: "text", value: expect.stringMatching(/^5 for A-1 as c0\n.*amount from 80 to 5/) }],
    ]);
  });
});
