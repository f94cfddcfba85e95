import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { policyOf } from "../support/policy-of.js";

const askLead = { approvers: { roles: ["finance"] }, reason: "Much in a day" };

const refundsOf = (...amounts: number[]) => ({
  toolCalls: amounts.map((amount, index) => ({ name: "refund", input: { id: `A-${index}`, amount } })),
});

describe("a limit over time", () => {
  it("asks once the calls of a response exceed it together, and lets those before run", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const policy = policyOf([
      { tools: "refund", verdict: "allow" },
      { tools: "refund", verdict: "ask", when: 'spent("refund", "amount", "24h") > 100', ...askLead },
    ]);
    const reply = inTurns(refundsOf(19, 19, 19, 19, 19, 19));
    await using harness = await openHarness({ database, tools, policy, reply });
    const { runId } = await harness.say("Refund six orders");
    const approval = await harness.onlyPending();
    expect(approval).toMatchObject({ toolName: "refund", input: { id: "A-5" } });
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(effects).toHaveLength(6);
  });
});
