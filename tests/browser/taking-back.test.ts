import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefundDesk } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import { movableDay, moveDay, quickClock } from "../support/inbox/stopped-clock.js";
import { scrollsSideways, type Visitor } from "../support/inbox/visitor.js";

const before = `${quickClock}\n${movableDay}`;

const focused = (page: Page) =>
  page.evaluate("[document.activeElement.tagName, document.activeElement.textContent].join(' ')");

const toastsOf = ({ page }: Visitor) => page.getByRole("region", { name: "Your latest decisions" });

describeInBrowser("a decision that is taken back", (visit) => {
  let isAway = false;
  const desk = shared(() =>
    openRefundDesk(({ amount }) => ({ holdFor: "1m", risk: amount > 500 ? "high" : "medium" }), {
      holdMs: 60_000,
      onRequest: async (request, handle) => (isAway ? new Response(null, { status: 503 }) : handle(request)),
    }),
  );

  /** The time to take a decision back is over, for the server and for the page. */
  async function endHold({ page }: Visitor) {
    const { harness } = await desk();
    await harness.clock.advance("61s");
    await moveDay(page, 61_000);
  }

  it("waits again, with one key or one button, also if no response arrives at first", async () => {
    const site = await desk();
    const { calls } = await site.ask(80, 90, 95);
    await using visitor = await visit(site, { as: "finance", expected: /ERR_FAILED/ });
    const { page } = visitor;
    const toasts = toastsOf(visitor);
    const back = toasts.getByRole("button", { name: "Take back" });
    const approve = async () => {
      await visitor.ready();
      await visitor.button("Approve").click();
      await visitor.heading(/Refund 90/).waitFor();
      await expect.poll(() => focused(page)).toMatch(/^H1 Refund 90/);
      await toasts.getByText("Refund 80 EUR for order A-1").waitFor();
      await toasts.getByText(/Takes effect in \d+ s/).waitFor();
    };
    const waitsAgain = async () => {
      await visitor.heading(/Refund 80/).waitFor();
      await expect.poll(() => focused(page)).toMatch(/^H1 Refund 80/);
      await visitor.button("Approve").waitFor();
      expect(await toasts.getByRole("button").count()).toBe(0);
    };
    await visitor.open(/Refund 80/);
    await approve();
    expect(await violations(page)).toEqual([]);
    await visitor.picture("held-wide");
    await page.route("**/take-back", (route) => route.abort(), { times: 1 });
    await back.click();
    await toasts.getByText("The server did not respond").waitFor();
    await back.waitFor();
    await visitor.picture("take-back-failed");
    await page.keyboard.press("u");
    await waitsAgain();

    await page.setViewportSize({ width: 390, height: 844 });
    await approve();
    expect(await scrollsSideways(page)).toBe(false);
    await visitor.picture("held-phone");
    await back.click();
    await waitsAgain();
    const types = (await site.harness.store.auditTrail("acme", String(calls[0]?.id))).map(({ type }) => type);
    expect(types.slice(-4)).toEqual([
      "approval.held",
      "approval.taken_back",
      "approval.held",
      "approval.taken_back",
    ]);
    expect(site.effects).toEqual([]);
  });

  it("is said to be decided on its own page, and can be taken back there, with the key that the message has elsewhere", async () => {
    const site = await desk();
    const { calls } = await site.ask(80);
    const path = `/approvals/${calls[0]?.id}`;
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open(/Refund 80/);
    await visitor.ready();
    await page.keyboard.press("d");
    await page.keyboard.type("Not this one");
    await page.keyboard.press("Enter");
    await page.getByText("Denied", { exact: true }).waitFor();
    expect(await visitor.button(/^Approve/).count()).toBe(0);
    await using other = await visit(site, { as: "lead", path });
    await other.page.getByText("finance denied this").waitFor();
    expect(await other.button("Take back").count()).toBe(0);
    await other.page.keyboard.press("u");

    const onCall = page.getByRole("article").getByRole("button", { name: "Take back" });
    const onMessage = toastsOf(visitor).getByRole("button", { name: "Take back" });
    await onMessage.waitFor();
    await onCall.waitFor();
    await expect.poll(() => onMessage.getAttribute("aria-keyshortcuts")).toBe(null);
    expect(await onCall.getAttribute("aria-keyshortcuts")).toBe("U");
    await page.keyboard.press("Control+k");
    const options = page.getByRole("dialog", { name: "Commands" }).getByRole("option");
    await options.filter({ hasText: /take back your decision on itU$/ }).waitFor();
    await options.filter({ hasText: /Take back your latest decision or snooze$/ }).waitFor();
    await page.keyboard.press("Escape");
    await options.first().waitFor({ state: "hidden" });
    await page.keyboard.press("Escape");
    await onCall.waitFor({ state: "hidden" });
    await expect.poll(() => onMessage.getAttribute("aria-keyshortcuts")).toBe("U");

    await page.goBack();
    await onCall.click();
    await visitor.button("Approve").waitFor();
    await other.button("Approve").waitFor();
    expect(site.effects).toEqual([]);
  });

  it("is said to wait for the engine if its time ends while the engine is away, and takes effect without the page", async () => {
    const site = await desk();
    const { runId } = await site.ask(80);
    {
      await using visitor = await visit(site, { as: "finance", before });
      await visitor.open(/Refund 80/);
      await visitor.ready();
      isAway = true;
      await visitor.page.keyboard.press("a");
      await visitor.page.getByText("It runs in a few seconds").waitFor();
      await endHold(visitor);
      await visitor.page.getByText("It takes effect when the engine is back").waitFor();
      const back = visitor.page.getByRole("article").getByRole("button", { name: "Take back" });
      expect(await back.count()).toBe(0);
      await visitor.picture("held-without-engine");
      expect(site.effects).toEqual([]);
    }
    isAway = false;
    await site.harness.clock.advance("10m");
    await site.harness.ended(runId);
    expect(site.effects).toHaveLength(1);
  });

  it("is offered no longer than it is possible, and says so if it comes too late", async () => {
    const site = await desk();
    await site.ask(80, 90, 95);
    await using visitor = await visit(site, { as: "finance", before, expected: /409/ });
    const toasts = toastsOf(visitor);
    const back = toasts.getByRole("button", { name: "Take back" });
    await visitor.open(/Refund 80/);
    await visitor.ready();
    await visitor.button("Approve").click();
    await back.waitFor();
    // Reading a message does not stop the time.
    await back.hover();
    await endHold(visitor);
    await back.waitFor({ state: "hidden" });

    await visitor.open(/Refund 90/);
    await visitor.ready();
    await visitor.button("Approve").click();
    await toasts.getByText("Refund 90 EUR for order A-2").waitFor();
    // The request is on its way until the time is over.
    await visitor.page.route("**/take-back", async (route) => {
      await site.harness.clock.advance("61s");
      await site.harness.engine.idle();
      await route.continue();
    });
    await back.click();
    await toasts.getByText("Too late to take this back").waitFor();
  });

  it("is not possible for what is more than a slip", async () => {
    const site = await desk();
    await site.ask(800, 90);
    await using visitor = await visit(site, { as: "finance" });
    await visitor.open(/Refund 800/);
    await visitor.ready();
    await visitor.button("Approve").click();
    await visitor
      .button(/^Approve/)
      .last()
      .click();
    await visitor.heading(/Refund 90/).waitFor();
    expect(await visitor.button("Take back").count()).toBe(0);
  });
});
