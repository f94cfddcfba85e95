import { ask, definePolicy } from "countersign";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const email = (text: string) => ({ name: "email", input: { to: "ada@example.com", text } });

it("an approval shows the model's text, redacted and cut to 4,000 characters", async () => {
  await using database = await freshPostgres();
  const text = `I write to ada@example.com with the code 4711-ABCD and call +43 1 234. ${"More. ".repeat(800)}`;
  await using harness = await openHarness({
    database,
    tools: deskTools().tools,
    reply: inTurns({ text: text, toolCalls: [email("4711-ABCD")] }),
    policy: definePolicy({ tools: { email: ask({ redact: ["text"], redactPatterns: ["email"] }) } }),
    countersign: { redactPatterns: ["\\+\\d[\\d ]+\\d"] },
  });
  await harness.say("Send the code");
  const { id } = await harness.onlyPending();
  const { body } = await harness.call("finance", `/approvals/${id}`);
  const { modelText } = body.context;
  expect(modelText).toMatch(/^I write to \[hidden\] with the code \[hidden\] and call \[hidden\]\. More\./);
  expect(modelText).toHaveLength(4000);
  expect(modelText).toMatch(/…$/);
});

it("an approval keeps the model's text after the decision, and has null if the model wrote none", async () => {
  await using database = await freshPostgres();
  await using harness = await openHarness({
    database,
    tools: deskTools().tools,
    reply: inTurns({ text: "Broken text\0", toolCalls: [email("one")] }, { toolCalls: [email("two")] }),
  });
  const { runId } = await harness.say("Send both");
  const first = await harness.onlyPending();
  await harness.decide(first, "approve");
  const second = await harness.nextPending(first);
  expect((await harness.call("finance", `/approvals/${second.id}`)).body.context.modelText).toBeNull();
  await harness.decide(second, "approve");
  await harness.ended(runId);
  const { body } = await harness.call("finance", `/approvals/${first.id}`);
  expect(body.context.modelText).toBe("Broken text\ufffd");
});

it("an approval's model text hides what an earlier call of the thread redacts", async () => {
  await using database = await freshPostgres();
  await using harness = await openHarness({
    database,
    tools: deskTools().tools,
    reply: inTurns(
      { toolCalls: [email("4711-ABCD")] },
      { text: "I sent 4711-ABCD.", toolCalls: [{ name: "refund", input: { id: "A-1", amount: 1 } }] },
    ),
    policy: definePolicy({ tools: { email: ask({ redact: ["text"] }), refund: ask() } }),
  });
  await harness.say("Send the code");
  const first = await harness.onlyPending();
  await harness.decide(first, "approve");
  const { id } = await harness.nextPending(first);
  const { body } = await harness.call("finance", `/approvals/${id}`);
  expect(body.context.modelText).toBe("I sent [hidden].");
});
