import type { AnswerOf } from "countersign/client";
import { expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { policyOf } from "../support/policy-of.js";

it("POST /policy/explain lists rules that were skipped, and why", async () => {
  const rules = [
    { id: "small", tools: "refund", verdict: "allow", when: "input.amount <= 50" },
    { id: "typo", tools: "refund", verdict: "allow", when: "input.amuont <= 5000" },
    { id: "others", tools: "lookup", verdict: "allow" },
    { id: "all", tools: "refund", verdict: "ask" },
  ];
  await using world = await openApiWorld({ policy: policyOf(rules) });
  const response = await world.request("auditor", "/policy/explain", {
    method: "POST",
    body: JSON.stringify({ toolName: "refund", input: { amount: 80 } }),
  });
  const { kind, skipped } = (await response.json()) as AnswerOf<"explainPolicy">;
  expect([kind, skipped]).toEqual([
    "ask",
    [
      { id: "small", layer: "defaults", because: "input.amount <= 50 is false" },
      {
        ...{ id: "typo", layer: "defaults" },
        because: expect.stringMatching(/^input\.amuont <= 5000 could not be evaluated \(.*amuont/),
      },
    ],
  ]);
});
