import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const pay = createTool({
  name: "pay",
  parameters: z.object({ amount: z.number() }),
  handler: () => "paid",
});

describe("the units of a rule", () => {
  it("stay with the approval when the policy changes", async () => {
    const policyWith = (units?: Record<string, string>) =>
      definePolicy({ tools: { pay: ask(units ? { units } : {}) } });
    await using database = await freshPostgres();
    await using harness = await openHarness({
      database,
      tools: [pay],
      policy: policyWith({ amount: "EUR" }),
      reply: inTurns({ toolCalls: [{ name: "pay", input: { amount: 80 } }] }),
    });
    const { runId } = await harness.say("Pay Ada");
    const call = await harness.onlyPending();
    expect(call).toMatchObject({ units: { amount: "EUR" } });
    const { body: rows } = await harness.call("finance", "/approvals?fields=row");
    expect(rows.items).toMatchObject([{ units: { amount: "EUR" } }]);

    harness.redeploy({ policy: policyWith() });
    await harness.decide(call, "approve");
    await harness.ended(runId);
    expect(await harness.approval(call.id)).toMatchObject({ status: "executed", units: { amount: "EUR" } });
  });

  it.each([
    [{ amount: "1,000 EUR" }, /tools\.pay\.units\.amount: must be a unit of at most 12 characters/],
    [{ amount: "0" }, /tools\.pay\.units\.amount: must be a unit/],
    [{ amount: "EUR (approved)" }, /tools\.pay\.units\.amount: must be a unit/],
    [{ "lines.*.amount": "EUR" }, /tools\.pay\.units\.lines\.\*\.amount: is not the path of an argument/],
  ])("are checked when the policy is defined: %j", (units, problem) => {
    expect(() => definePolicy({ tools: { pay: ask({ units }) } })).toThrow(problem);
  });
});
