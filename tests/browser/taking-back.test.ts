import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { openBatch } from "../support/inbox/batch-dialog.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefundDesk, openRefunds } from "../support/inbox/refunds.js";
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
    openRefundDesk(
      { holdFor: "1m" },
      {
        holdMs: 60_000,
        onRequest: async (request, handle) =>
          isAway ? new Response(null, { status: 503 }) : handle(request),
      },
    ),
  );

  /** The time to take a decision back is over, for the server and for the page. */
  async function endHold({ page }: Visitor) {
    const { harness } = await desk();
    await harness.clock.advance("61s");
    await moveDay(page, 61_000);
  }

  it.each([
    ["wide", {}],
    ["phone", { viewport: { width: 390, height: 844 }, hasTouch: true }],
  ] as const)("waits again, with one key or one button (%s)", async (name, options) => {
    const site = await desk();
    await site.ask(80, 90, 95);
    await using visitor = await visit(site, { as: "finance", ...options });
    const { page } = visitor;
    await visitor.open(/Refund 80/);
    await visitor.ready();
    await visitor.button("Approve").click();
    await visitor.heading(/Refund 90/).waitFor();
    expect(await focused(page)).toMatch(/^H1 Refund 90/);
    const toasts = toastsOf(visitor);
    await toasts.getByText("Refund 80 EUR for order A-1").waitFor();
    await toasts.getByText(/Takes effect in \d+ s/).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await visitor.picture(`held-${name}`);
    if (name === "wide") await page.keyboard.press("u");
    else await toasts.getByRole("button", { name: "Take back" }).click();
    await visitor.heading(/Refund 80/).waitFor();
    expect(await focused(page)).toMatch(/^H1 Refund 80/);
    await visitor.button("Approve").waitFor();
    expect(await toasts.getByRole("button").count()).toBe(0);
    const [approval] = (await site.harness.call("finance", "/approvals?status=pending")).body.items;
    const types = (await site.harness.store.auditTrail("acme", approval.id)).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(["approval.held", "approval.taken_back"]);
    expect(site.effects).toEqual([]);
  });

  it("is said to be decided on its own page, and can be taken back there", async () => {
    const site = await desk();
    await site.ask(80);
    await using visitor = await visit(site, { as: "finance" });
    await visitor.open(/Refund 80/);
    await visitor.ready();
    await visitor.page.keyboard.press("d");
    await visitor.page.keyboard.type("Not this one");
    await visitor.page.keyboard.press("Enter");
    await visitor.page.getByText("You denied this").waitFor();
    expect(await visitor.button(/^Approve/).count()).toBe(0);
    await using other = await visit(site, {
      as: "lead",
      path: `/approvals/${new URL(visitor.page.url()).pathname.split("/").at(-1)}`,
    });
    await other.page.getByText("finance denied this").waitFor();
    expect(await other.button("Take back").count()).toBe(0);
    await other.page.keyboard.press("u");
    await visitor.page.getByRole("article").getByRole("button", { name: "Take back" }).click();
    await visitor.button("Approve").waitFor();
    await other.button("Approve").waitFor();
    expect(site.effects).toEqual([]);
  });

  it("has its key where the key acts: on the open call, and then not on the message", async () => {
    const site = await desk();
    await site.ask(80);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open(/Refund 80/);
    await visitor.ready();
    await page.keyboard.press("a");
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
  });

  it("takes effect by itself, also when the page is closed", async () => {
    const site = await desk();
    const { runId } = await site.ask(80);
    {
      await using visitor = await visit(site, { as: "finance" });
      await visitor.open(/Refund 80/);
      await visitor.ready();
      await visitor.page.keyboard.press("a");
      await visitor.page.getByText("You approved this").waitFor();
      expect(site.effects).toEqual([]);
    }
    await site.harness.clock.advance("61s");
    await site.harness.ended(runId);
    expect(site.effects).toHaveLength(1);
  });

  it("is said to wait for the engine if its time ends while the engine is away", async () => {
    const site = await desk();
    const { runId } = await site.ask(80);
    await using visitor = await visit(site, { as: "finance", before });
    await visitor.open(/Refund 80/);
    await visitor.ready();
    isAway = true;
    await visitor.page.keyboard.press("a");
    await visitor.page.getByText("It takes effect in a few seconds").waitFor();
    await endHold(visitor);
    await visitor.page.getByText("It takes effect when the engine is back").waitFor();
    expect(await visitor.page.getByRole("article").getByRole("button", { name: "Take back" }).count()).toBe(
      0,
    );
    await visitor.picture("held-without-engine");
    isAway = false;
    await site.harness.clock.advance("10m");
    await site.harness.ended(runId);
    expect(site.effects).toHaveLength(1);
  });

  it("says so if it comes too late", async () => {
    const site = await desk();
    await site.ask(80, 90);
    await using visitor = await visit(site, { as: "finance", expected: /409/ });
    await visitor.open(/Refund 80/);
    await visitor.ready();
    await visitor.button("Approve").click();
    const toasts = toastsOf(visitor);
    await toasts.getByText("Refund 80 EUR for order A-1").waitFor();
    // The request is on its way until the time is over.
    await visitor.page.route("**/take-back", async (route) => {
      await site.harness.clock.advance("61s");
      await site.harness.engine.idle();
      await route.continue();
    });
    await toasts.getByRole("button", { name: "Take back" }).click();
    await toasts.getByText("Too late to take this back").waitFor();
  });

  it("can be tried again if no response arrives", async () => {
    const site = await desk();
    await site.ask(80, 90);
    await using visitor = await visit(site, { as: "finance", expected: /ERR_FAILED/ });
    const { page } = visitor;
    await visitor.open(/Refund 80/);
    await visitor.ready();
    await visitor.button("Approve").click();
    await visitor.heading(/Refund 90/).waitFor();
    const toasts = toastsOf(visitor);
    await page.route("**/take-back", (route) => route.abort(), { times: 1 });
    await toasts.getByRole("button", { name: "Take back" }).click();
    await toasts.getByText("The server did not respond").waitFor();
    await toasts.getByRole("button", { name: "Take back" }).waitFor();
    await visitor.picture("take-back-failed");
    await page.keyboard.press("u");
    await visitor.heading(/Refund 80/).waitFor();
    await visitor.button("Approve").waitFor();
    expect(site.effects).toEqual([]);
  });

  it("can be tried again in the table of several calls", async () => {
    const { site, visitor, page, row, read, act } = await openBatch(visit, [80, 90], {
      holdMs: 60_000,
      terms: { holdFor: "1m" },
      expected: /ERR_FAILED/,
    });
    await using _site = site;
    await using _visitor = visitor;
    await read(2);
    await act("Approve 2 · 170").click();
    await page.route("**/take-back", (route) => route.abort(), { times: 1 });
    const back = row(80).getByRole("button", { name: "Take back" });
    const failed = page.waitForEvent("requestfailed");
    await back.click();
    await failed;
    await back.and(page.locator(":not([aria-disabled])")).click();
    await row(80).getByText("Waits again").waitFor();
    // Its button is gone, so its row has the focus.
    expect(await row(80).evaluate((element) => element === document.activeElement)).toBe(true);
    expect(site.effects).toEqual([]);
  });

  it("is offered no longer than it is possible", async () => {
    const site = await desk();
    await site.ask(80, 90);
    await using visitor = await visit(site, { as: "finance", before });
    await visitor.open(/Refund 80/);
    await visitor.ready();
    await visitor.button("Approve").click();
    const back = toastsOf(visitor).getByRole("button", { name: "Take back" });
    await back.waitFor();
    // Reading a message does not stop the time.
    await back.hover();
    await endHold(visitor);
    await back.waitFor({ state: "hidden" });
  });

  it("is not possible where the host does not want it, nor for what is more than a slip", async () => {
    await using plain = await openRefunds([80, 90], {});
    await using visitor = await visit(plain, { as: "finance" });
    await visitor.open(/Refund 80/);
    await visitor.ready();
    await visitor.button("Approve").click();
    await toastsOf(visitor).getByText("Refund 80 EUR for order A-1").waitFor();
    expect(await visitor.button("Take back").count()).toBe(0);

    await using risky = await openRefunds([80, 90], { risk: "high" }, { holdMs: 60_000 });
    await using second = await visit(risky, { as: "finance" });
    await second.open(/Refund 80/);
    await second.ready();
    await second.button("Approve").click();
    await second
      .button(/^Approve/)
      .last()
      .click();
    await second.heading(/Refund 90/).waitFor();
    expect(await second.button("Take back").count()).toBe(0);
  });
});
