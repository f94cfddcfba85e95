import { ask, definePolicy } from "countersign";
import { expect, it } from "vitest";
import { inTurns } from "../support/desk-tools.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { refundsOf } from "../support/inbox/refunds.js";
import { openSite } from "../support/inbox/site.js";

const checks = [
  { name: "known order", run: () => true },
  { name: "balance", run: () => ({ ok: false, message: "Only 12.50 EUR are left\u202e" }) },
];

describeInBrowser("an approval with safety checks", (visit) => {
  it("shows each result in words, failed ones first", async () => {
    await using site = await openSite({
      policy: definePolicy({ tools: { refund: ask({ summary: "Refund {{amount}} EUR", checks }) } }),
      reply: inTurns(refundsOf(80)),
    });
    const { runId } = await site.harness.say("Refund it");
    await site.harness.pending(1);
    await using visitor = await visit(site, { as: "finance" });
    await visitor.open("Refund 80 EUR");
    const { page } = visitor;
    await visitor.heading("Safety checks").waitFor();
    const shown = await page.locator(".cs-check").allInnerTexts();
    expect(shown).toEqual([
      expect.stringMatching(/^Failed balance: Only 12\.50 EUR are left/),
      "Passed known order",
    ]);
    expect(shown[0]).not.toContain("\u202e");
    expect(await page.locator(".cs-deciding li").textContent()).toMatch(
      /^Failed: balance: Only 12\.50 EUR are left/,
    );
    expect(await violations(page)).toEqual([]);
    await visitor.picture("safety-checks");

    // A person may approve nevertheless, in a second step. The check fails again before the start.
    await visitor.ready();
    await visitor.button("Approve: refund").click();
    await page
      .getByRole("form", { name: "Approve" })
      .getByRole("button", { name: "Approve: refund" })
      .click();
    await page.getByText("withdrawn: a safety check failed right before the start").first().waitFor();
    await site.harness.ended(runId);
    expect(site.effects).toEqual([]);
  });
});
