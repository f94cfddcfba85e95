import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const pay = createTool({
  name: "pay",
  parameters: z.object({ to: z.string(), iban: z.string(), amount: z.number() }),
  handler: ({ amount, iban }) => ({ paid: { amount }, note: `sent to ${iban}` }),
});
const input = { to: "Ada", iban: "CH93-0076", amount: 80 };

const policyWith = (resultSummary?: string) =>
  definePolicy({
    tools: {
      pay: ask({
        ...{ summary: "Pay {{amount}} to {{to}}", editable: ["amount"], redact: ["iban"] },
        ...(resultSummary === undefined ? {} : { resultSummary }),
      }),
    },
  });

it("a call's result is read in the words of the policy that asked, without what is hidden", async () => {
  await using database = await freshPostgres();
  await using harness = await openHarness({
    database,
    tools: [pay],
    policy: policyWith("Paid {{result.paid.amount}} to {{to}} ({{result.note}}, {{iban}})"),
    reply: inTurns({ toolCalls: [{ name: "pay", input }] }),
  });
  const { runId } = await harness.say("Pay Ada");
  const call = await harness.onlyPending();
  expect(call).toMatchObject({ resultSummary: null, resultSummaryParts: [] });
  const edited = { type: "edit", digest: call.digest, input: { ...Object(call.input), amount: 70 } };
  await harness.call("finance", `/approvals/${call.id}/decision`, { method: "POST", body: edited });
  await harness.ended(runId);

  harness.redeploy({ policy: policyWith("Nothing was paid") });
  const text = "Paid 70 to Ada (“sent to [hidden]”, [hidden])";
  const ran = await harness.approval(call.id);
  expect(ran).toMatchObject({ status: "executed", resultSummary: text });
  expect(ran.resultSummaryParts).toEqual([
    { text: "Paid " },
    { value: "70", path: "result.paid.amount", number: 70 },
    { text: " to " },
    { value: "Ada", path: "to" },
    { text: " (" },
    { value: "sent to [hidden]", path: "result.note" },
    { text: ", " },
    { value: "[hidden]", path: "iban" },
    { text: ")" },
  ]);
  const { body } = await harness.call("finance", "/approvals");
  expect(body.items).toMatchObject([{ resultSummary: text }]);
  const { body: rows } = await harness.call("finance", "/approvals?fields=row");
  expect(rows.items).toMatchObject([{ valuesOmitted: true, resultSummary: null, resultSummaryParts: [] }]);
});

it("a summary says which numbers it shows, but not those that it hides", async () => {
  await using database = await freshPostgres();
  await using harness = await openHarness({
    database,
    tools: [pay],
    policy: definePolicy({
      tools: { pay: ask({ summary: "Pay {{amount}} to {{to}} ({{iban}})", redact: ["iban"] }) },
    }),
    reply: inTurns({ toolCalls: [{ name: "pay", input: { ...input, to: "80", amount: 1234.5 } }] }),
  });
  await harness.say("Pay Ada");
  const parts = [
    { text: "Pay " },
    { value: "1,234.50", path: "amount", number: 1234.5 },
    { text: " to " },
    { value: "80", path: "to" },
    { text: " (" },
    { value: "[hidden]", path: "iban" },
    { text: ")" },
  ];
  expect((await harness.onlyPending()).summaryParts).toEqual(parts);
  const { body: rows } = await harness.call("finance", "/approvals?fields=row");
  expect(rows.items.map((row: { summaryParts: unknown }) => row.summaryParts)).toEqual([parts]);
});
