import { expect, it } from "vitest";
import { inTurns } from "../support/desk-tools.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { refundPolicy, refundsOf } from "../support/inbox/refunds.js";
import { openSite } from "../support/inbox/site.js";

describeInBrowser("the history of a call", (visit) => {
  it("says what people decided about calls like it, and what is unusual about this one", async () => {
    await using site = await openSite({
      policy: refundPolicy(),
      reply: inTurns(refundsOf(10, 20, 30, 9_000), refundsOf(160)),
    });
    const { harness } = site;
    await harness.say("Please refund them.");
    for (const call of await harness.pending(4)) {
      const { amount } = call.input as { amount: number };
      await harness.decide(call, amount === 9_000 ? "deny" : "approve", "lead");
    }
    await harness.pending(1);
    await using visitor = await visit(site, { as: "finance" });
    await visitor.open("Refund 160 EUR");
    const line = visitor.page.locator(".cs-history");
    await line.getByText("4 other calls for requester in 30 days").waitFor();
    const parts = await line.locator(".cs-history-part").allTextContents();
    expect(parts.slice(1)).toEqual(["3 approved", "1 denied", "8 × their median amount of 20"]);
    expect(await line.locator("[data-stands]").textContent()).toBe("8 × their median amount of 20");
    expect(await violations(visitor.page)).toEqual([]);
    await visitor.picture("call-history");
  });
});
