import { expect, it } from "vitest";
import { reviewTogether } from "../support/inbox/batch-dialog.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";

describeInBrowser("the unit of an amount", (visit) => {
  it("stands behind the number among the arguments, in an edit and in the table of like calls", async () => {
    await using site = await openRefunds([2400, 80], {
      ...{ editable: ["amount"], decisions: ["approve", "edit", "deny"], units: { amount: "EUR" } },
    });
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open("Refund 2,400 EUR");
    const amount = page.locator(".cs-field").filter({ hasText: "amount" });
    await amount.locator(".cs-number").getByText("2,400 EUR", { exact: true }).waitFor();

    await visitor.button("Edit").click();
    await page.getByRole("textbox", { name: "amount" }).fill("240");
    await amount.getByText("240 EUR: 10 times less than 2,400 EUR").waitFor();
    const changes = page.getByRole("list", { name: "Changes" }).first();
    expect(await changes.textContent()).toMatch(/2,400 EUR.*240 EUR/);

    await page.keyboard.press("Escape");
    await page.getByRole("textbox", { name: "amount" }).waitFor({ state: "hidden" });
    const dialog = await reviewTogether(visitor, 2);
    await dialog
      .getByRole("row", { name: /^Refund 80 EUR/ })
      .getByText("80 EUR", { exact: true })
      .waitFor();
    await dialog.getByRole("button", { name: "Approve 1 · 80 EUR" }).waitFor();
    await visitor.picture("units");
  });
});
