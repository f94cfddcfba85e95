import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { policyOf } from "../support/policy-of.js";

it("people who are asked read what the limits counted, with the calls of the same response", async () => {
  await using database = await freshPostgres();
  const { tools } = deskTools();
  const policy = policyOf([
    { tools: "refund", verdict: "allow" },
    { tools: "refund", verdict: "ask", when: 'spent("refund", "amount", "24h") > 100' },
    { tools: "refund", verdict: "notify", when: '12 < calls("refund", "1h", "thread")' },
  ]);
  const reply = inTurns({
    toolCalls: [60, 30, 19.9].map((amount, at) => ({ name: "refund", input: { id: `A-${at}`, amount } })),
  });
  await using harness = await openHarness({ database, tools, policy, reply });
  const { runId } = await harness.say("Refund three orders");
  const approval = await harness.onlyPending();
  expect(approval.counts).toMatchObject([
    {
      text: "amount: 9.90 over the limit of 100 in 24 hours for this requester",
      condition: 'spent("refund", "amount", "24h")',
      exceeds: true,
    },
    { text: "3 of 12 requests in 1 hour in this conversation, this one included", exceeds: false },
  ]);
  await harness.decide(approval, "deny");
  await harness.ended(runId);
});
