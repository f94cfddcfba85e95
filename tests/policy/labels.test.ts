import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const pay = createTool({
  name: "pay",
  parameters: z.object({ orderId: z.string(), iban: z.string() }),
  handler: () => "paid",
});

const named = {
  label: "Pay supplier",
  names: { orderId: "Order", iban: "Account" },
  redact: ["iban"],
  grantable: ["team"],
} as const;

describe("the label and the names of a rule", () => {
  it("stay with the approval when the policy changes, and hide and change no argument", async () => {
    const policyWith = (terms: object) => definePolicy({ tools: { pay: ask(terms) } });
    await using database = await freshPostgres();
    await using harness = await openHarness({
      database,
      tools: [pay],
      policy: policyWith(named),
      reply: inTurns({ toolCalls: [{ name: "pay", input: { orderId: "A-1", iban: "CH02" } }] }),
    });
    const { runId } = await harness.say("Pay Ada");
    const call = await harness.onlyPending();
    const words = { label: "Pay supplier", names: named.names };
    expect(call).toMatchObject({
      ...{ ...words, toolName: "pay", input: { orderId: "A-1", iban: "[hidden]" } },
      summary: "Pay supplier: Order A-1, Account [hidden]",
    });
    const { body: rows } = await harness.call("finance", "/approvals?fields=row");
    expect(rows.items).toMatchObject([words]);
    const { body: facets } = await harness.call("finance", "/approvals/facets");
    expect(facets.tools).toEqual([{ value: "pay", label: "Pay supplier", count: 1 }]);

    harness.redeploy({ policy: policyWith({}) });
    const { status } = await harness.call("finance", `/approvals/${call.id}/decision`, {
      method: "POST",
      body: {
        type: "approve",
        digest: call.digest,
        grant: { scope: "team", arguments: "any", expiresIn: "8h" },
      },
    });
    expect(status).toBe(200);
    const { body: grants } = await harness.call("finance", "/grants");
    expect(grants.items).toMatchObject([{ label: "Pay supplier", toolName: "pay" }]);
    await harness.ended(runId);
    expect(await harness.approval(call.id)).toMatchObject({ status: "executed", ...words });
  });

  it.each([
    [{ label: "" }, /tools\.pay\.label: must be one line of at most 40 visible characters/],
    [{ label: "x".repeat(41) }, /tools\.pay\.label: must be one line of at most 40/],
    [{ label: "Refund\nApproved" }, /tools\.pay\.label: .* remove line breaks/],
    [{ label: "Refund\u202e" }, /tools\.pay\.label: .* invisible characters/],
    [{ label: "Refund  now" }, /tools\.pay\.label: must be/],
    [{ label: " Refund" }, /tools\.pay\.label: must be/],
    [{ names: { orderId: "Or\u200bder" } }, /tools\.pay\.names\.orderId: must be one line/],
    [{ names: { orderId: "x".repeat(41) } }, /tools\.pay\.names\.orderId: .* such as "Order" or "Customer"/],
    [{ names: { "lines.*.id": "Line" } }, /tools\.pay\.names\.lines\.\*\.id: is not the path of an argument/],
  ])("are checked when the policy is defined: %j", (terms, problem) => {
    expect(() => definePolicy({ tools: { pay: ask(terms) } })).toThrow(problem);
  });

  it("may be in any language", () => {
    const label = "Zahlung an Lieferant „Süd“ (§ 3) – 支払い";
    expect(() => definePolicy({ tools: { pay: ask({ label, names: { a: "№ 1" } }) } })).not.toThrow();
  });
});
