import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefundDesk, refundPolicy, refundsOf } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import { openSite } from "../support/inbox/site.js";

describeInBrowser("the inbox", (visit) => {
  const desk = shared(() => openRefundDesk({ timeout: "30m" }));

  it("shows a pending approval in another browser after the first was closed, and the run continues", async () => {
    const site = await desk();
    const { runId } = await site.ask(80);
    {
      await using before = await visit(site, { as: "finance" });
      await before.open("Refund 80 EUR");
      await before.button("Approve: refund").waitFor();
    }
    await using after = await visit(site, { as: "finance" });
    await after.open("Refund 80 EUR");
    await after.button("Approve: refund").click();
    await site.harness.ended(runId);
    expect(site.effects).toEqual([{ tool: "refund", input: { id: "A-1", amount: 80 } }]);
  });

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

  it("shows at once who else decided an open approval, and removes the buttons", async () => {
    const site = await desk();
    await site.ask(80);
    await using visitor = await visit(site, { as: "finance" });
    await visitor.open("Refund 80 EUR");
    await visitor.button("Approve: refund").waitFor();
    await site.harness.decide(await site.harness.onlyPending(), "deny", "lead", "A duplicate");
    await visitor.page.getByText("Already decided by lead").waitFor();
    await visitor.button("Approve: refund").waitFor({ state: "hidden" });
    await visitor.page.getByText("A duplicate").first().waitFor();
  });

  it("says that its server is unreachable, decides nothing, and recovers with a new server", async () => {
    await using database = await freshPostgres();
    const options = { database, policy: refundPolicy(), reply: inTurns(refundsOf(80)) };
    const first = await openSite(options);
    const { runId } = await first.harness.say("Refund A-1");
    await first.harness.onlyPending();
    await using visitor = await visit(first, {
      as: "finance",
      expected: /net::ERR_/,
    });
    const { page } = visitor;
    await visitor.open("Refund 80 EUR");
    await visitor.button("Approve: refund").waitFor();
    await page.getByRole("img", { name: "Live" }).waitFor();
    await page.evaluate("globalThis.neverReloaded = true");
    await first[Symbol.asyncDispose]();

    await page.getByText("Cannot reach the server").first().waitFor();
    await page.keyboard.press("a");
    expect(await visitor.button("Approve: refund").getAttribute("aria-disabled")).toBe("true");
    await visitor.picture("server-gone");

    await using second = await openSite({ ...options, port: first.port });
    await page.getByRole("img", { name: "Live" }).waitFor();
    await page.getByText("Cannot reach the server").first().waitFor({ state: "hidden" });
    await visitor.button("Approve: refund").click();
    await page.getByText("You approved").first().waitFor();
    await second.harness.ended(runId);
    expect(await page.evaluate("globalThis.neverReloaded")).toBe(true);
  });

  it("says that a call could not be loaded, offers no decision, and loads it later", async () => {
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
