import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";

describeInBrowser("deciding several approvals together", (visit) => {
  it("approves only those that were opened, and shows the result of each", async () => {
    await using site = await openRefunds([80, 90, 100]);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    for (const amount of [80, 90]) {
      await visitor.open(`Refund ${amount} EUR`);
      await visitor.heading(`Refund ${amount} EUR`).waitFor();
      await visitor.heading("What the agent said").waitFor();
      await visitor.ready();
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

  it("works with a selection by keyboard: Space for the focused row, X for the open approval", async () => {
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
    // Letters are shortcuts in a checkbox too, because nobody types into it.
    await visitor.open("Refund 90 EUR");
    await visitor.heading("Refund 90 EUR").waitFor();
    await box(80).focus();
    await page.keyboard.press("x");
    await page.getByText("2 selected").waitFor();
    expect(await box(90).isChecked()).toBe(true);
    // With forced colours, the checkbox has the system's appearance: a tick in the page's colour would be invisible.
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

  /** Opens the dialog that decides all pending approvals, after each of them was opened. */
  async function openTogether(amounts: number[]) {
    const site = await openRefunds(amounts);
    const visitor = await visit(site, { as: "finance" });
    const row = (amount: number) => visitor.rows().filter({ hasText: `${amount} EUR` });
    for (const amount of amounts) {
      await row(amount).getByRole("link").click();
      await visitor.heading(`Refund ${amount} EUR`).waitFor();
      await visitor.heading("What the agent said").waitFor();
      await visitor.ready();
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

  it("shows in the open dialog that somebody else has decided one, and decides the others", async () => {
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

  it("names who decided one before the request arrived, and decides the others", async () => {
    const { site, visitor, about, approve, ofAmount } = await openTogether([80, 90]);
    await using _site = site;
    await using _visitor = visitor;
    // The lead decides after the click and before the request arrives, so that no live update comes first.
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
