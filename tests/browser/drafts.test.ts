import { expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { endSessionAt } from "../support/inbox/end-session.js";
import { openRefundDesk } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import type { Visitor } from "../support/inbox/visitor.js";

const expected = /401 \(Unauthorized\)/;

describeInBrowser("what a person has typed", (visit) => {
  const desk = shared(() => openRefundDesk({ editable: ["amount"] }));
  const reasonOf = ({ page }: Visitor) => page.getByRole("textbox", { name: /^Reason/ });
  const endedOf = ({ page }: Visitor) => page.getByRole("alertdialog", { name: "Your session has ended" });

  /** Types a reason for denying the open call, without sending it. */
  async function typeReason(visitor: Visitor, reason: string) {
    await visitor.open("Refund 80 EUR");
    await visitor.button("Deny").click();
    await reasonOf(visitor).fill(reason);
  }

  async function sendAsTheSessionEnds(visitor: Visitor) {
    await endSessionAt(visitor, "**/decision");
    await reasonOf(visitor).press("Enter");
  }

  it("is there again after a reload, a reason and an edit, and can be copied after somebody else has decided", async () => {
    const site = await desk();
    await site.ask(80);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await typeReason(visitor, "Refunded in the");
    await visitor.button("Cancel").click();
    await visitor.button("Edit").click();
    await page.getByRole("textbox", { name: "amount" }).fill("55");
    await visitor.button("Approve with 1 change").waitFor();
    await page.reload();
    await visitor.button("Approve with 1 change").waitFor();
    expect(await page.getByRole("textbox", { name: "amount" }).inputValue()).toBe("55");
    await visitor.button("Deny").click();
    expect(await reasonOf(visitor).inputValue()).toBe("Refunded in the");
    await site.harness.decide(await site.harness.onlyPending(), "approve", "lead");
    await page.getByText("Your reason was not sent: “Refunded in the”").waitFor();
    // The field that had the focus is gone.
    await expect
      .poll(() => page.evaluate("document.activeElement.closest('.cs-decision-bar') !== null"))
      .toBe(true);
    await visitor.button("Copy").first().waitFor();
    await visitor.picture("unsent-reason");
  });

  it("survives the end of the session, which is said over the page; what was refused meanwhile is loaded", async () => {
    const site = await desk();
    const { calls } = await site.ask(80, 90, 95);
    await using visitor = await visit(site, { as: "finance", expected });
    const { page } = visitor;
    await typeReason(visitor, "Refunded in the shop");
    await sendAsTheSessionEnds(visitor);
    const ended = endedOf(visitor);
    await ended.getByText("Sign in as finance to go on. What you typed is kept.").waitFor();
    expect(await violations(page)).toEqual([]);
    await visitor.picture("session-ended");
    // A key that decides does nothing behind the dialog.
    await page.keyboard.press("Escape");
    await ended.waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toMatch(/^Finance/);
    await page.keyboard.press("Enter");
    await ended.waitFor({ state: "hidden" });
    // That the session had ended is over.
    await page.getByText("You are signed out").waitFor({ state: "hidden" });
    expect(await reasonOf(visitor).inputValue()).toBe("Refunded in the shop");

    // The next one was loaded ahead; this one is not.
    const notLoaded = calls.find(({ summary }) => summary.includes("95"));
    await endSessionAt(visitor, `**/approvals/${notLoaded?.id}`);
    await visitor.open("Refund 95 EUR");
    await ended.getByRole("button", { name: "Finance" }).click();
    await ended.waitFor({ state: "hidden" });
    await visitor.heading("Refund 95 EUR").waitFor();
    await visitor.button("Approve: refund").waitFor();
    await visitor.open("Refund 80 EUR");
    await visitor.button("Deny").click();
    expect(await reasonOf(visitor).inputValue()).toBe("Refunded in the shop");
    await page.getByRole("form", { name: "Deny" }).getByRole("button", { name: "Deny" }).click();
    await page.getByText("You denied").first().waitFor();
  });

  it("is nobody else's, who signs in at the same page, and somebody of another tenant reads nothing else either", async () => {
    const site = await desk();
    await site.ask(80);
    await using visitor = await visit(site, { as: "finance", expected: /401|404/ });
    await typeReason(visitor, "The customer is my neighbour");
    await sendAsTheSessionEnds(visitor);
    await endedOf(visitor).getByRole("button", { name: "Lead" }).click();
    await endedOf(visitor).waitFor({ state: "hidden" });
    await visitor.button("Deny").click();
    expect(await reasonOf(visitor).inputValue()).toBe("");
    expect(await visitor.page.content()).not.toContain("neighbour");

    await reasonOf(visitor).fill("A secret of ours");
    await sendAsTheSessionEnds(visitor);
    await endedOf(visitor).getByRole("button", { name: "Stranger" }).click();
    await visitor.heading("Approval not found").waitFor();
    await visitor.heading("Nothing left to decide").waitFor();
    expect(await visitor.page.content()).not.toMatch(/neighbour|secret of ours|Refund 80/);
  });
});
