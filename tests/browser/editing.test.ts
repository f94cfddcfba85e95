import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";

const terms = { decisions: ["approve", "edit", "deny"], editable: ["amount"] } satisfies Parameters<
  typeof openRefunds
>[1];

describeInBrowser("editing in the inbox", (visit) => {
  it("explains an invalid value, keeps the draft, lists the changes, and runs the edited call", async () => {
    await using site = await openRefunds([80], terms);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open("Refund 80 EUR");
    await visitor.button("Approve: refund").waitFor();
    await page.keyboard.press("e");
    const amount = page.getByRole("textbox", { name: "amount" });
    await amount.fill("half of it");
    const problem = page.locator(".cs-field .cs-problem");
    await problem.waitFor();
    expect(await amount.getAttribute("aria-invalid")).toBe("true");
    await visitor.picture("edit-invalid");

    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("region", { name: "History" }).waitFor();
    await page.getByRole("link", { name: /^Pending/ }).click();
    await visitor.open("Refund 80 EUR");
    expect(await amount.inputValue()).toBe("half of it");

    await amount.fill("50");
    await problem.waitFor({ state: "hidden" });
    const changes = page.getByRole("list", { name: "Changes" });
    expect(await changes.textContent()).toMatch(/amount[\s\S]*80[\s\S]*50/);
    const approve = visitor.button("Approve with 1 change").and(page.locator(":not([aria-disabled])"));
    await approve.waitFor();
    await visitor.picture("edit");
    await approve.click();
    await page.getByText("You approved with 1 change").first().waitFor();
    await site.harness.ended(site.runId);
    expect(site.effects).toEqual([{ tool: "refund", input: { id: "A-1", amount: 50 } }]);
  });

  it("keeps the reader's changes in view when somebody else decides first", async () => {
    await using site = await openRefunds([80], terms);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open("Refund 80 EUR");
    await visitor.button("Edit").click();
    await page.getByRole("textbox", { name: "amount" }).fill("50");
    await visitor.button("Approve with 1 change").waitFor();
    await site.harness.decide(await site.harness.onlyPending(), "approve", "lead");
    await page.getByText("Already decided by lead").first().waitFor();
    await page.getByText("Your changes were not applied:").waitFor();
    expect(await page.getByRole("list", { name: "Changes" }).first().textContent()).toContain("50");
    await visitor.picture("edit-not-used");
  });
});
