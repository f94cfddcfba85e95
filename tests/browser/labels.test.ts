import { ask, definePolicy } from "countersign";
import { expect, it } from "vitest";
import { inTurns } from "../support/desk-tools.js";
import { reviewTogether } from "../support/inbox/batch-dialog.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";
import { openSite } from "../support/inbox/site.js";

describeInBrowser("what a rule calls a call and its arguments", (visit) => {
  it("stands in the button, below the heading, at arguments and edits, and in the table of like calls", async () => {
    await using site = await openRefunds([2400, 80], {
      ...{ editable: ["amount"], decisions: ["approve", "edit", "deny"] },
      ...{ label: "Payout", names: { amount: "Sum <b>", id: "Order" } },
    });
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open("Refund 2,400 EUR");
    await visitor.button("Approve payout").waitFor();
    await page.getByTitle("refund", { exact: true }).getByText("Payout", { exact: true }).waitFor();
    await page.getByTitle("amount", { exact: true }).getByText("Sum <b>", { exact: true }).waitFor();
    await page.getByTitle("id", { exact: true }).getByText("Order", { exact: true }).waitFor();

    await visitor.button("Edit").click();
    await page.getByRole("textbox", { name: "Sum <b>" }).fill("240");
    const changes = page.getByRole("list", { name: "Changes" }).first();
    await changes.getByText("Sum <b>", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("textbox", { name: "Sum <b>" }).waitFor({ state: "hidden" });

    const dialog = await reviewTogether(visitor, 2);
    const heads = await dialog.getByRole("columnheader").allTextContents();
    expect(heads).toEqual(expect.arrayContaining(["Sum <b>", "Order"]));
    expect(await dialog.locator("caption").textContent()).toBe("Payout · 2 requests");
  });

  it("is the name of a tool among the filters", async () => {
    await using site = await openSite({
      policy: definePolicy({
        tools: { refund: ask({ label: "Payout", summary: "Pay {{amount}}" }), email: ask() },
      }),
      reply: inTurns({
        toolCalls: [
          { name: "refund", input: { id: "A-1", amount: 80 } },
          { name: "email", input: { to: "ada@example.com", text: "Sorry" } },
        ],
      }),
    });
    await site.harness.say("Refund it, and tell Ada");
    await site.harness.pending(2);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.rows().nth(1).waitFor();
    await visitor.button("Filter").click();
    await page.getByRole("button", { name: /^Payout\s*1$/ }).click();
    await expect.poll(() => visitor.rows().count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("q")).toBe("tool:refund");
    await page.getByRole("button", { name: /^Payout\s*1$/, pressed: true }).waitFor();
    await page.getByRole("button", { name: /^email\s*1$/ }).waitFor();
  });
});
