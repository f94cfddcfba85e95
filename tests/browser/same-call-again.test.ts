import { expect, it } from "vitest";
import { inTurns } from "../support/desk-tools.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { refundPolicy, refundsOf } from "../support/inbox/refunds.js";
import { openSite } from "../support/inbox/site.js";

describeInBrowser("a call that ran before", (visit) => {
  it("has a warning with a link to the call that ran", async () => {
    await using site = await openSite({
      policy: refundPolicy(),
      reply: inTurns(refundsOf(80), refundsOf(80, 90)),
    });
    const { harness } = site;
    const { runId } = await harness.say("Please refund A-1, and A-2 as well.");
    const ran = await harness.onlyPending();
    await harness.decide(ran, "approve");
    await harness.pending(2);
    await harness.clock.advance("190s");
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    const banner = page.getByText("The same request ran 3 min ago, approved by you");

    await visitor.open("Refund 80 EUR for order A-1");
    await banner.waitFor();
    await visitor.picture("same-call-again");

    await visitor.open("Refund 90 EUR for order A-2");
    await visitor.heading("Refund 90 EUR for order A-2").waitFor();
    await visitor.button("Approve: refund").waitFor();
    expect(await banner.count()).toBe(0);

    await visitor.open("Refund 80 EUR for order A-1");
    await page.getByRole("link", { name: "View it" }).click();
    await page.waitForURL(`${site.url}/history/${ran.id}`);
    await visitor.heading("Refund 80 EUR for order A-1").waitFor();
    // The first call has no warning.
    expect(await banner.count()).toBe(0);

    await page.goBack();
    await visitor.button("Deny").click();
    await page.getByRole("textbox", { name: /Reason/ }).fill("It was paid already");
    await visitor.button("Deny").last().click();
    await page.getByText("You denied").first().waitFor();
    const [last] = await harness.pending(1);
    if (!last) throw new Error("unreachable");
    await harness.decide(last, "approve");
    await harness.ended(runId);
    expect(site.effects.map(({ input }) => input)).toMatchObject([{ amount: 80 }, { amount: 90 }]);
  });
});
