import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";
import { openSite } from "../support/inbox/site.js";
import { moveClock, moveClockUntilReady, stoppedClock } from "../support/inbox/stopped-clock.js";
import { proposeCall } from "../support/proposals.js";

const long = `The beginning. ${"A long way to go. ".repeat(60)}The middle. ${"And back again. ".repeat(60)}The end.`;

/** Counts how often the page was printed, and whether what paper needs was there then. */
const notePrint = `window.print = () => {
  window.dispatchEvent(new Event("beforeprint"));
  globalThis.printed = document.body.innerText;
};`;

describeInBrowser("a call on paper", (visit) => {
  it("has all of its values and its trail, without buttons and without the list", async () => {
    await using site = await openSite();
    const [call] = await proposeCall(site.harness.store, {
      input: { id: "A-1", amount: 80, note: long },
      approvers: { roles: ["finance"], ids: [] },
    });
    await using visitor = await visit(site, {
      as: "finance",
      path: `/approvals/${call?.id}`,
      before: notePrint,
    });
    const { page } = visitor;
    await visitor.heading("What will happen").waitFor();
    await page.keyboard.press("Control+k");
    await page.emulateMedia({ media: "print" });
    await page.getByRole("option", { name: /Print this/ }).click();
    await expect.poll(() => page.evaluate("globalThis.printed?.includes('The middle.')")).toBe(true);
    const paper = String(await page.evaluate("globalThis.printed"));
    expect(paper).toContain("The end.");
    expect(paper).toMatch(/asked for/i);
    expect(paper).not.toMatch(/Approve: refund|Show less|Raw JSON|For you/);
    await page.evaluate("window.dispatchEvent(new Event('afterprint'))");
    await page.emulateMedia({ media: null });
    // Paper counts as nothing that was read.
    await visitor.button(/^Show all/).waitFor();
    expect(await page.locator("details.cs-trail[open]").count()).toBe(0);
  });

  it("counts as nothing that was seen, however long printing takes", async () => {
    await using site = await openRefunds([80]);
    await using visitor = await visit(site, { as: "finance", before: stoppedClock });
    const { page } = visitor;
    await visitor.open("Refund 80 EUR");
    await visitor.button("Approve: refund").waitFor();
    const look = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.evaluate("window.dispatchEvent(new Event('beforeprint'))");
    await moveClock(page, 60_000);
    await look();
    await page.evaluate("window.dispatchEvent(new Event('afterprint'))");
    await look();
    await page.keyboard.press("a");
    await page.getByRole("status").filter({ hasText: "Not approved yet" }).waitFor();
    await moveClockUntilReady(page);
  });
});
