import { expect, it } from "vitest";
import { liveGrants } from "../support/agents/grant-desk.js";
import { giveBudget, hundred, proposeOne } from "../support/budgets.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import { openSite } from "../support/inbox/site.js";
import { scrollsSidewaysOnPhone } from "../support/inbox/visitor.js";
import { proposeCall } from "../support/proposals.js";

const withinBudget = /within a budget/;

describeInBrowser("a budget in the inbox", (visit) => {
  const plain = shared(openSite);

  it("is given with an approval, and its use is shown among the grants", async () => {
    await using site = await openRefunds([80], { grantable: ["user", "team"] });
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open("Refund 80 EUR");
    await visitor.ready();
    await visitor.button("Allow again without asking").click();
    await page.getByRole("menuitem", { name: withinBudget }).click();
    const form = page.getByRole("form", { name: "Approve" });
    const approve = form.getByRole("button", { name: /give budget/ });
    const total = form.getByRole("textbox", { name: "Total" });
    await form.getByRole("group", { name: "Budget for later ones" }).waitFor();
    // The letter is text and not the key that approves.
    await total.pressSequentially("a");
    expect(await approve.getAttribute("aria-disabled")).toBe("true");
    expect(await approve.textContent()).toContain("Enter amounts as numbers");
    await total.fill("2000");
    await form.getByRole("textbox", { name: /At most each/ }).fill("100");
    await form.getByRole("textbox", { name: /Unit/ }).fill("EUR");
    await form.getByRole("combobox", { name: "Whose requests" }).selectOption("for everyone in the team");
    expect(await violations(page)).toEqual([]);
    expect(await scrollsSidewaysOnPhone(page)).toBe(false);
    await visitor.picture("budget");
    await expect.poll(() => approve.getAttribute("aria-disabled")).toBeNull();
    await approve.click();
    await site.harness.ended(site.runId);
    const [grant] = await liveGrants(site.harness);
    expect(grant).toMatchObject({
      scope: "team",
      arguments: "any",
      budget: { amount: "amount", total: 2000, each: 100, unit: "EUR", used: 0 },
    });
    await visitor.openMore("Standing permissions");
    await page.getByText("0 of 2,000 EUR used, at most 100 EUR each").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("is why a call is asked that does not fit", async () => {
    const site = await plain();
    const { store } = site.harness;
    await giveBudget(store, { ...hundred, total: 2000, each: 1500 });
    await proposeOne(store, 1340);
    const asked = await proposeOne(store, 800, { announce: true });
    await using visitor = await visit(site, { as: "finance", path: `/approvals/${asked.id}` });
    await visitor.page
      .getByText(
        "A standing permission covers this kind, but 1,340 of 2,000 EUR are used, and this one asks for 800 EUR.",
      )
      .waitFor();
    expect(await violations(visitor.page)).toEqual([]);
    await visitor.picture("over-budget");
  });

  it("is not offered for a call without an amount", async () => {
    const site = await plain();
    const input = { id: "A-1", note: "80" };
    const [call] = await proposeCall(site.harness.store, { terms: { grantable: ["team"] }, input });
    await using visitor = await visit(site, { as: "finance", path: `/approvals/${call?.id}` });
    await visitor.button("Allow again without asking").click();
    const { page } = visitor;
    await page.getByRole("menuitem", { name: /This same request/ }).waitFor();
    expect(await page.getByRole("menuitem", { name: withinBudget }).count()).toBe(0);
  });
});
