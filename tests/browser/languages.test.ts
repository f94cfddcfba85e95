import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";

describeInBrowser("the language of the inbox", (visit) => {
  const open = (amounts: number[]) =>
    openRefunds(amounts, { decisions: ["approve", "edit", "deny"], editable: ["amount"] });

  it("is that of the browser, and so is how numbers are written and read", async () => {
    await using site = await open([1250]);
    await using visitor = await visit(site, { as: "finance", locale: "de-DE" });
    const { page } = visitor;
    await page.locator("a[data-row]").first().click();
    await visitor.heading("Refund 1.250 EUR for order A-1").waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("de");
    await visitor.ready();
    await page.keyboard.press("e");
    const field = page.getByRole("textbox", { name: "amount" });
    expect(await field.inputValue()).toBe("1250");
    await field.fill("1.200,50");
    await page.getByText("1.200,50", { exact: true }).first().waitFor();
    await visitor.picture("edit-german");
    await page.getByRole("button", { name: /mit 1 Änderung/ }).click();
    await page
      .getByText(/Von Ihnen mit 1 Änderung freigegeben/)
      .first()
      .waitFor();
    await site.harness.ended(site.runId);
    expect(site.effects.map(({ input }) => input)).toEqual([expect.objectContaining({ amount: 1200.5 })]);
  });

  it("is chosen in the menu, without a reload, for each of the person's browsers", async () => {
    await using site = await open([80, 90]);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open("Refund 80 EUR");
    await visitor.ready();
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "amount" }).fill("1.500");
    await page.keyboard.press("Escape");
    await page.keyboard.press("d");
    await page.getByRole("textbox", { name: "Reason" }).fill("Not the right order");
    await visitor.button("finance, menu").click();
    await page.getByRole("menuitemradio", { name: "Deutsch" }).click();
    await page.getByRole("link", { name: "Verlauf" }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("de");
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("cs-person");
    await page.getByRole("button", { name: "Ablehnen" }).click();
    expect(await page.getByRole("textbox", { name: "Grund" }).inputValue()).toBe("Not the right order");
    // In German, it would be another number.
    expect(await page.getByText("1.500").count()).toBe(0);
    await using other = await visit(site, { as: "finance" });
    await other.page.getByRole("link", { name: "Verlauf" }).waitFor();
  });
});
