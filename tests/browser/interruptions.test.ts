import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefundDesk } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";

describeInBrowser("the inbox", (visit) => {
  const desk = shared(() => openRefundDesk({ timeout: "30m" }));

  it("accepts one of two simultaneous decisions, and shows the other person who decided", async () => {
    const site = await desk();
    const { runId, calls } = await site.ask(80);
    // The loser's request is answered with 409 if no live update came first.
    const expected = /409 \(Conflict\)/;
    await using finance = await visit(site, { as: "finance", expected });
    await using lead = await visit(site, { as: "lead", expected });
    const both = [finance, lead];
    await Promise.all(both.map((visitor) => visitor.open("Refund 80 EUR")));
    await Promise.all(both.map((visitor) => visitor.ready()));
    await Promise.all(both.map((visitor) => visitor.page.keyboard.press("a")));
    await site.harness.ended(runId);
    const { decision } = await site.harness.approval(String(calls[0]?.id));
    const winner = decision?.decidedBy === "finance" ? finance : lead;
    const loser = winner === finance ? lead : finance;
    await winner.page.getByText("You approved").first().waitFor();
    await loser.page.getByText(`Already decided by ${decision?.decidedBy}`).first().waitFor();
    await loser.button("Approve: refund").waitFor({ state: "hidden" });
    await loser.picture("already-decided");
    expect(site.effects).toHaveLength(1);
  });

  it("says that a call could not be loaded, offers no decision, loads it later, and shows who else decided it", async () => {
    const site = await desk();
    await site.ask(80);
    await using visitor = await visit(site, { as: "finance", expected: /net::ERR_/ });
    const { page } = visitor;
    const { id } = await site.harness.onlyPending();
    await page.route(`**/api/approvals/${id}`, (route) => route.abort());
    await visitor.open("Refund 80 EUR");
    const again = visitor.button("Try again");
    await again.waitFor();
    expect(await visitor.button("Approve: refund").count()).toBe(0);
    await visitor.picture("not-loaded");
    await page.unroute(`**/api/approvals/${id}`);
    await again.click();
    await visitor.heading("What the agent said").waitFor();
    await visitor.button("Approve: refund").waitFor();

    // It shows at once who else decided it, and removes the buttons.
    await site.harness.decide(await site.harness.onlyPending(), "deny", "lead", "A duplicate");
    await page.getByText("Already decided by lead").waitFor();
    await visitor.button("Approve: refund").waitFor({ state: "hidden" });
    await page.getByText("A duplicate").first().waitFor();
  });

  it("says that an open approval has expired, and removes the buttons", async () => {
    const site = await desk();
    await site.ask(80);
    await using visitor = await visit(site, { as: "finance" });
    await visitor.open("Refund 80 EUR");
    await visitor.button("Approve: refund").waitFor();
    await site.harness.clock.advance("31m");
    await visitor.page.getByText("This expired while you were reading").waitFor();
    await visitor.page.getByText(/Expired at .*It did not run.*may ask again/).waitFor();
    await visitor.button("Approve: refund").waitFor({ state: "hidden" });
    await visitor.button("Deny").waitFor({ state: "hidden" });
    await visitor.picture("expired");
  });
});
