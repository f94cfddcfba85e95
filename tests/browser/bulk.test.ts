import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";

describeInBrowser("deciding several together", (visit) => {
  it("approves only what was opened, and tells of each what became of it", async () => {
    await using site = await openRefunds([80, 90, 100]);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    for (const amount of [80, 90]) {
      await visitor.open(`Refund ${amount} EUR`);
      await visitor.heading(`Refund ${amount} EUR`).waitFor();
      await visitor.heading("What the agent said").waitFor();
    }
    for (const amount of [80, 90, 100]) {
      await visitor
        .rows()
        .filter({ hasText: `${amount} EUR` })
        .getByRole("checkbox")
        .click();
    }
    await page.getByRole("toolbar", { name: "Selected" }).getByText("2 of 3 opened by you").waitFor();
    await visitor.picture("selected");
    await visitor.button("Decide together").click();
    const dialog = page.getByRole("dialog", { name: "Decide 3 together" });
    const about = (amount: number) => dialog.getByRole("listitem").filter({ hasText: `${amount} EUR` });
    await about(100).getByText("Open it first").waitFor();
    const approve = dialog
      .getByRole("button", { name: "Approve 2" })
      .and(page.locator(":not([aria-disabled])"));
    await approve.waitFor();
    await visitor.picture("together");
    await approve.click();
    await about(80).getByText("Now approved").waitFor();
    await about(90).getByText("Now approved").waitFor();
    await visitor.picture("together-done");
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await site.harness.decide(await site.harness.onlyPending(), "deny");
    await site.harness.ended(site.runId);
    expect(site.effects.map(({ input }) => input)).toMatchObject([{ amount: 80 }, { amount: 90 }]);
  });

  it("selects with the space bar where the focus is, and with X what is open", async () => {
    await using site = await openRefunds([80, 90]);
    await using visitor = await visit(site, { as: "finance", forcedColors: "active" });
    const { page } = visitor;
    const box = (amount: number) =>
      visitor
        .rows()
        .filter({ hasText: `${amount} EUR` })
        .getByRole("checkbox", { name: "Select", description: `Refund ${amount} EUR for order` });
    await box(80).focus();
    await page.keyboard.press("Space");
    await page.getByText("1 selected").waitFor();
    expect(await box(80).isChecked()).toBe(true);
    // A letter is a shortcut here too, since nobody types into a box.
    await visitor.open("Refund 90 EUR");
    await visitor.heading("Refund 90 EUR").waitFor();
    await box(80).focus();
    await page.keyboard.press("x");
    await page.getByText("2 selected").waitFor();
    expect(await box(90).isChecked()).toBe(true);
    // A tick in our own colour is not to be seen where people choose theirs.
    expect(
      await page.evaluate('getComputedStyle(document.querySelector(".cs-checkbox-box")).appearance'),
    ).toBe("auto");
    await visitor.picture("selected-forced-colours");
    await page.keyboard.press("Space");
    await page.getByText("1 selected").waitFor();
    expect(await box(80).isChecked()).toBe(false);
    await page.keyboard.press("x");
    await page.getByRole("toolbar", { name: "Selected" }).waitFor({ state: "hidden" });
    for (const waiting of await site.harness.pending(2)) await site.harness.decide(waiting, "deny");
    await site.harness.ended(site.runId);
  });

  /** The dialog about all that wait, each of which was opened before. */
  async function openTogether(amounts: number[]) {
    const site = await openRefunds(amounts);
    const visitor = await visit(site, { as: "finance" });
    const row = (amount: number) => visitor.rows().filter({ hasText: `${amount} EUR` });
    for (const amount of amounts) {
      await row(amount).getByRole("link").click();
      await visitor.heading(`Refund ${amount} EUR`).waitFor();
      await visitor.heading("What the agent said").waitFor();
      await row(amount).getByRole("checkbox").click();
    }
    await visitor.button("Decide together").click();
    const dialog = visitor.page.getByRole("dialog");
    const { items } = (await site.harness.call("lead", "/approvals?status=pending")).body;
    const ofAmount = (amount: number) =>
      items.find(({ input }: { input: { amount: number } }) => input.amount === amount);
    return {
      ...{ site, visitor, ofAmount },
      about: (amount: number) => dialog.getByRole("listitem").filter({ hasText: `${amount} EUR` }),
      approve: (count: number) =>
        dialog
          .getByRole("button", { name: `Approve ${count}` })
          .and(visitor.page.locator(":not([aria-disabled])")),
    };
  }

  it("sees while it is open that somebody else has decided one, and decides the others", async () => {
    const { site, visitor, about, approve, ofAmount } = await openTogether([80, 90]);
    await using _site = site;
    await using _visitor = visitor;
    await approve(2).waitFor();
    await site.harness.decide(ofAmount(90), "deny", "lead");
    await about(90).getByText("lead already decided this").waitFor();
    await approve(1).click();
    await about(80).getByText("Now approved").waitFor();
    await site.harness.ended(site.runId);
    expect(site.effects.map(({ input }) => input)).toMatchObject([{ amount: 80 }]);
  });

  it("loses one on its way to somebody else, says who, and decides the others", async () => {
    const { site, visitor, about, approve, ofAmount } = await openTogether([80, 90]);
    await using _site = site;
    await using _visitor = visitor;
    // Decided after it was pressed and before it arrives, so that no news can come first.
    await visitor.page.route("**/api/decisions", async (route) => {
      await site.harness.decide(ofAmount(80), "deny", "lead");
      await route.continue();
    });
    await approve(2).click();
    await about(80).getByText("lead already decided this").waitFor();
    await about(90).getByText("Now approved").waitFor();
    await visitor.picture("together-lost");
    await site.harness.ended(site.runId);
    expect(site.effects.map(({ input }) => input)).toMatchObject([{ amount: 90 }]);
  });
});
