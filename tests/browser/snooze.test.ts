import { expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { holdAnswers, holdBack } from "../support/inbox/hold-back.js";
import { openRefundDesk, openRefunds } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import type { Site } from "../support/inbox/site.js";
import { realClock } from "../support/inbox/stopped-clock.js";
import { scrollsSideways, type Visitor } from "../support/inbox/visitor.js";

const focused = ({ page }: Visitor) =>
  page.evaluate("[document.activeElement.tagName, document.activeElement.textContent].join(' ')");

const tab = ({ page }: Visitor, name: RegExp) =>
  page.getByRole("navigation", { name: "Lists" }).getByRole("link", { name });

/** Puts the open call aside until shortly before its end. */
async function snoozeToEnd({ page }: Visitor) {
  await page.keyboard.press("s");
  await page.getByRole("menuitem", { name: /^10 minutes before it ends/ }).click();
}

/** What the person's list has of a site, by the API. */
async function listed({ harness }: Site, token: string, list: string) {
  const { body } = await harness.call(token, `/approvals?list=${list}&fields=row`);
  return (body.items as { summary: string; snoozedUntil: string | null; id: string }[]) ?? [];
}

describeInBrowser("a call that is put aside", (visit) => {
  const desk = shared(() => openRefundDesk(({ amount }) => ({ timeout: amount === 14 ? "14m" : "3h" })));

  it("leaves its person's list with S, comes back with U, and waits in a list of its own", async () => {
    const site = await desk();
    await site.ask(80, 90, 95);
    await using other = await visit(site, { as: "lead" });
    await other.rows().nth(2).waitFor();
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    const toasts = page.getByRole("region", { name: "Your latest decisions" });
    await visitor.open(/Refund 80/);
    await visitor.heading(/Refund 80/).waitFor();
    await page.keyboard.press("s");
    const choices = page.getByRole("menuitem");
    await choices.first().waitFor();
    expect(await choices.allTextContents()).toEqual([
      expect.stringMatching(/^Until /),
      expect.stringMatching(/^10 minutes before it ends, at /),
    ]);
    expect(await violations(page)).toEqual([]);
    await visitor.picture("snooze-menu");
    await page.keyboard.press("Enter");
    await visitor.heading(/Refund 90/).waitFor();
    await expect.poll(() => focused(visitor)).toMatch(/^H1 Refund 90/);
    await toasts.getByText(/^Snoozed until /).waitFor();
    expect(await listed(site, "finance", "for_you")).toHaveLength(2);
    expect(await listed(site, "finance", "snoozed")).toMatchObject([
      { summary: "Refund 80 EUR for order A-1" },
    ]);
    expect(await violations(page)).toEqual([]);
    await visitor.picture("snoozed");
    await tab(visitor, /For you\s*2/).waitFor();
    await tab(visitor, /Snoozed\s*1/).waitFor();
    expect(await page.title()).toMatch(/^\(2\)/);
    await expect.poll(() => other.rows().count()).toBe(3);
    expect(await tab(other, /Snoozed/).count()).toBe(0);
    await page.keyboard.press("u");
    await visitor.heading(/Refund 80/).waitFor();
    expect(await listed(site, "finance", "for_you")).toHaveLength(3);
    await tab(visitor, /For you\s*3/).waitFor();
    await tab(visitor, /Snoozed/).waitFor({ state: "hidden" });

    await page.setViewportSize({ width: 390, height: 844 });
    await snoozeToEnd(visitor);
    await visitor.heading(/Refund 90/).waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    await visitor.picture("snoozed-phone");
    await toasts.getByRole("button", { name: "Undo" }).click();
    await visitor.heading(/Refund 80/).waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });

    await snoozeToEnd(visitor);
    await visitor.heading(/Refund 90/).waitFor();
    await tab(visitor, /Snoozed\s*1/).click();
    const list = page.getByRole("list", { name: "Snoozed" });
    await list.getByText(/snoozed until /).waitFor();
    expect(await violations(page)).toEqual([]);
    await visitor.picture("list-snoozed");
    await list.getByRole("link").click();
    await visitor.button("Bring back now").click();
    await visitor.button(/^Snooze/).waitFor();
    await expect.poll(() => focused(visitor)).toMatch(/^BUTTON Snooze/);
    await tab(visitor, /For you\s*3/).waitFor();
    expect(await listed(site, "finance", "snoozed")).toEqual([]);
    // Without a next call in the list, the page and the focus stay.
    await snoozeToEnd(visitor);
    await visitor.button("Bring back now").waitFor();
    await visitor.heading(/Refund 80/).waitFor();
    await expect.poll(() => focused(visitor)).toMatch(/^BUTTON Snoozed until /);
    await tab(visitor, /For you\s*2/).waitFor();
    expect(site.effects).toEqual([]);
  });

  it("opens no other call if its person has left it meanwhile, and is never put aside beyond its deadline", async () => {
    const site = await desk();
    const { calls } = await site.ask(80, 90, 95, 14);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    const { arrived, release } = await holdBack(page, "**/snooze");
    await visitor.open(/Refund 80/);
    await visitor.heading(/Refund 80/).waitFor();
    await snoozeToEnd(visitor);
    await arrived;
    for (const amount of [90, 95]) {
      await page.keyboard.press("j");
      await visitor.heading(`Refund ${amount}`).waitFor();
    }
    release();
    const toasts = page.getByRole("region", { name: "Your latest decisions" });
    await toasts.getByText(/^Snoozed until /).waitFor();
    await tab(visitor, /For you\s*3/).waitFor();
    expect(await visitor.heading(/Refund 95/).count()).toBe(1);

    await visitor.open(/Refund 14/);
    await visitor.heading(/Refund 14/).waitFor();
    await page.keyboard.press("s");
    const only = page.getByRole("menuitem");
    await only.getByText("It ends too soon to be put aside").waitFor();
    expect([await only.count(), await only.isDisabled()]).toEqual([1, true]);
    expect(await violations(page)).toEqual([]);
    const waiting = calls.find(({ summary }) => summary.includes("Refund 14"));
    const until = new Date(site.harness.clock.now() + 14 * 60_000).toISOString();
    const refused = await site.harness.call("finance", `/approvals/${waiting?.id}/snooze`, {
      ...{ method: "POST", body: { until } },
    });
    expect(refused).toMatchObject({ status: 400, body: { code: "invalid_snooze" } });
    expect(await listed(site, "finance", "for_you")).toHaveLength(3);
  });

  it("stays aside on the page although an answer from before comes late", async () => {
    const site = await desk();
    await site.ask(80);
    await using visitor = await visit(site, { as: "finance" });
    await visitor.open(/Refund 80/);
    await visitor.heading(/Refund 80/).waitFor();
    const { answered, release } = await holdAnswers(visitor.page, /\/approvals\/apr_[^/?]+$/);
    await using other = await visit(site, { as: "lead" });
    // The page hears who looks at the call, and asks for it.
    await other.open(/Refund 80/);
    await answered;
    await snoozeToEnd(visitor);
    await visitor.button("Bring back now").waitFor();
    release();
    await visitor.page.getByText(/lead/).first().waitFor();
    await visitor.button(/^Snoozed until /).waitFor();
    await visitor.button("Bring back now").waitFor();
  });

  it("comes back by itself when its time has come, also while the page is open", async () => {
    await using site = await openRefunds([80, 90], { timeout: "3h" });
    await using visitor = await visit(site, { as: "finance", before: realClock });
    const { page } = visitor;
    await page.clock.install();
    await page.reload();
    await visitor.open(/Refund 80/);
    await visitor.heading(/Refund 80/).waitFor();
    await page.keyboard.press("s");
    await page
      .getByRole("menuitem", { name: /^Until / })
      .first()
      .click();
    await visitor.heading(/Refund 90/).waitFor();
    await tab(visitor, /For you\s*1/).waitFor();
    const [snoozed] = await listed(site, "finance", "snoozed");
    const pass = async (ms: number) => {
      await site.harness.clock.advance(ms);
      await page.clock.fastForward(ms);
    };
    // Shortly before, the page loads its lists as it does every minute.
    const loaded = page.waitForResponse((response) => response.url().endsWith("/approvals/counts"));
    await pass(Date.parse(snoozed?.snoozedUntil ?? "") - site.harness.clock.now() - 15_000);
    await loaded;
    await tab(visitor, /For you\s*1/).waitFor();
    await pass(16_000);
    // Sooner than the next regular load.
    await tab(visitor, /For you\s*2/).waitFor({ timeout: 30_000 });
    await visitor
      .rows()
      .filter({ hasText: /Refund 80/ })
      .waitFor();
    await tab(visitor, /Snoozed/).waitFor({ state: "hidden" });
  });
});
