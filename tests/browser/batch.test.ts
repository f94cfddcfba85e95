import type { Locator } from "playwright-core";
import { expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { openTable, reviewTogether } from "../support/inbox/batch-dialog.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { holdBack } from "../support/inbox/hold-back.js";
import { openRefundDesk, openRefunds } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import type { Site } from "../support/inbox/site.js";
import { moveClock, stoppedClock } from "../support/inbox/stopped-clock.js";
import { scrollsSideways, scrollsSidewaysOnPhone, type VisitOptions } from "../support/inbox/visitor.js";

/** The calls that wait and are not decided, not even by a decision that is held. */
async function waitingOf({ harness }: Site) {
  const { items } = (await harness.call("lead", "/approvals?status=pending")).body;
  return items.filter(({ held }: { held: unknown }) => held === null);
}

describeInBrowser("several calls in one table", (visit) => {
  const desk = shared(openRefundDesk);

  const openTableOf = async (amounts: number[], options: VisitOptions = {}) =>
    openTable(visit, await desk(), amounts, options);

  it("shows each whole, with a total, what is unlike the others, and that somebody else has decided one", async () => {
    const table = await openTableOf([20, 25, 30, 240]);
    const { site, runId, visitor, page, dialog, row, read, act, messages } = table;
    await using _visitor = visitor;
    await row(240).getByText("8.7 × the median").waitFor();
    expect(await dialog.getByText("× the median").count()).toBe(1);
    await read(4);
    await act("Approve 4 · 315").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await visitor.picture("batch");
    const { items } = (await site.harness.call("lead", "/approvals?status=pending")).body;
    const other = items.find(({ input }: { input: { amount: number } }) => input.amount === 30);
    await site.harness.decide(other, "deny", "lead");
    await row(30).getByText("lead already decided this").waitFor();
    await act("Approve 3 · 285").click();
    await dialog.waitFor({ state: "hidden" });
    await messages.getByText("3 approved · 285").waitFor();
    await site.harness.ended(runId);
    expect(site.effects.map(({ input }) => input)).toEqual(
      expect.arrayContaining([20, 25, 240].map((amount) => expect.objectContaining({ amount }))),
    );
    expect(site.effects).toHaveLength(3);
  });

  it("selects, reviews and approves ten with six keys, and takes all of them back with one", async () => {
    const amounts = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19];
    await using site = await openRefunds(amounts, { holdFor: "1m" }, { holdMs: 60_000 });
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.rows().nth(9).waitFor();
    const keys: string[] = [];
    const press = async (key: string) => {
      keys.push(key);
      await page.keyboard.press(key);
    };
    await press("Control+a");
    await page.getByRole("toolbar", { name: "Selected" }).getByText("10 selected").waitFor();
    await press("b");
    const dialog = page.getByRole("dialog", { name: "Review 10 together" });
    await dialog
      .getByRole("button", { name: "Approve 10 · 145" })
      .and(page.locator(":not([aria-disabled])"))
      .waitFor();
    const isOnPrimary = () =>
      page.evaluate<boolean>('document.activeElement.matches(".cs-dialog [data-tone=primary]")');
    while (keys.length < 8 && !(await isOnPrimary())) await press("Tab");
    await press("Enter");
    await dialog.waitFor({ state: "hidden" });
    const messages = page.getByRole("region", { name: "Your latest decisions" });
    await messages.getByText("10 approved · 145").waitFor();
    await messages.getByText(/Takes effect in/).waitFor();
    expect(await messages.getByRole("button").count()).toBe(1);
    // What had the focus is gone with the selection.
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toMatch(/^For you/);
    expect(await violations(page)).toEqual([]);
    await visitor.picture("batch-decided");
    await press("u");
    await expect.poll(async () => (await waitingOf(site)).length).toBe(10);
    await messages.getByRole("button").waitFor({ state: "hidden" });
    expect(keys.length).toBeLessThanOrEqual(7);
    expect(site.effects).toEqual([]);
  });

  it("stays open if one of them could not be decided, and what was decided can be taken back above it", async () => {
    await using site = await openRefunds([80, 90, 95], { holdFor: "1m" }, { holdMs: 60_000 });
    await using visitor = await visit(site, { as: "finance", expected: /ERR_FAILED/ });
    const { page } = visitor;
    const dialog = await reviewTogether(visitor, 3);
    const row = (amount: number) => dialog.getByRole("row", { name: `Refund ${amount} EUR` });
    const { arrived, release } = await holdBack(page, "**/decisions");
    await dialog
      .getByRole("button", { name: "Approve 3 · 265" })
      .and(page.locator(":not([aria-disabled])"))
      .click();
    await arrived;
    const [first] = await waitingOf(site);
    await site.harness.decide(first, "deny", "lead");
    release();
    await dialog.locator("[data-outcome=failed]").waitFor();
    await expect.poll(() => dialog.locator("[data-outcome=ok]").count()).toBe(2);
    const messages = page.getByRole("region", { name: "Your latest decisions" });
    const back = messages.getByRole("button", { name: "Take all back" });
    await visitor.picture("batch-partly-decided");
    // One of two fails: it is offered again, alone.
    await page.route("**/take-back", (route) => route.abort(), { times: 1 });
    await back.click();
    await messages.getByText("The server did not respond").waitFor();
    await messages.getByRole("button", { name: "Take back", exact: true }).click();
    await expect.poll(async () => (await waitingOf(site)).length).toBe(2);
    await row(80).waitFor();
    expect(site.effects).toEqual([]);
  });

  it("leaves out a call for which the reader has typed changes, which its row opens", async () => {
    await using site = await openRefunds([80, 90], {
      decisions: ["approve", "edit", "deny"],
      editable: ["amount"],
    });
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open("Refund 80 EUR");
    await visitor.ready();
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "amount" }).fill("40");
    await visitor.button("Select 2").click();
    await visitor.button("Review together").click();
    const dialog = page.getByRole("dialog", { name: "Review 2 together" });
    const row = dialog.getByRole("row", { name: "Refund 80 EUR" });
    await row.getByRole("link", { name: "You have changed it: approve it on its own" }).waitFor();
    await dialog
      .getByRole("button", { name: "Approve 1 · 90" })
      .and(page.locator(":not([aria-disabled])"))
      .waitFor();
    await visitor.picture("batch-changed");
    await row.focus();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "hidden" });
    await visitor.button("Approve with 1 change").waitFor();
  });

  it("selects ranges with Shift, and all that were found", async () => {
    await using site = await openRefunds([81, 82, 83, 84, 95]);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    const boxes = visitor.rows().getByRole("checkbox");
    await boxes.nth(4).waitFor();
    const checked = async () =>
      (await Promise.all([0, 1, 2, 3, 4].map((at) => boxes.nth(at).isChecked()))).flatMap((is, at) =>
        is ? [at] : [],
      );
    await boxes.nth(3).click();
    await boxes.nth(1).click({ modifiers: ["Shift"] });
    await expect.poll(checked).toEqual([1, 2, 3]);
    await boxes.nth(2).click({ modifiers: ["Shift"] });
    await expect.poll(checked).toEqual([3]);
    await page.keyboard.press("j");
    await visitor.heading("Refund 81").waitFor();
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await visitor.heading("Refund 83").waitFor();
    await page.keyboard.press("Shift+X");
    await expect.poll(checked).toEqual([0, 1, 2, 3]);
    await visitor.button("Clear").click();

    // In a field, the key selects its text.
    await page.keyboard.press("/");
    await page.keyboard.type("Refund 8");
    await page.getByText("4 found").waitFor();
    await page.keyboard.press("Control+a");
    expect(await page.evaluate("String(getSelection())")).toBe("Refund 8");
    expect(await page.getByRole("toolbar", { name: "Selected" }).count()).toBe(0);
    await visitor.button("Select all").click();
    await page.getByRole("toolbar", { name: "Selected" }).getByText("4 selected").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await scrollsSidewaysOnPhone(page)).toBe(false);
    await visitor.picture("all-found-selected");
  });

  it("leaves out, denies and approves by the keys of a row", async () => {
    const { site, runId, visitor, page, dialog, row, read, act, messages } = await openTableOf([80, 90, 95]);
    await using _visitor = visitor;
    await read(3);
    await dialog.getByRole("row").nth(1).focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("2");
    await page.keyboard.press("d");
    const reason = dialog.getByRole("textbox", { name: /Reason for denying/ });
    // Without a call to deny, a number does nothing.
    expect(await reason.inputValue()).toBe("");
    await page.keyboard.press("2");
    await dialog.getByRole("button", { name: "Wrong details", pressed: true }).waitFor();
    expect(await reason.inputValue()).toBe("Wrong details");
    await reason.fill("Refunded in the shop");
    await act("Approve 1 · 95 and deny 1").click();
    await messages.getByText("1 approved · 95, 1 denied").waitFor();
    await dialog.waitFor({ state: "hidden" });
    expect(await row(90).count()).toBe(0);
    const left = await site.harness.onlyPending();
    expect(left.input).toMatchObject({ amount: 80 });
    await site.harness.decide(left, "deny");
    await site.harness.ended(runId);
    expect(site.effects.map(({ input }) => input)).toMatchObject([{ amount: 95 }]);
  });

  it("approves none before the time to read it, one after the other, by a key that comes early or is held down", async () => {
    const { site, visitor, page, dialog, row, act } = await openTableOf([80, 90], { before: stoppedClock });
    await using _visitor = visitor;
    const { keyboard } = page;
    const decisions: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && /\/decisions?$/.test(request.url())) decisions.push(request.url());
    });
    /** Moves the clock unless this row was read: at once, so that no time counts for the next. Returns whether it was. */
    const read = (amount: number) =>
      row(amount).evaluate((element) => {
        const isSeen = [...element.querySelectorAll("small")].some(
          ({ textContent }) => textContent === "Seen",
        );
        const page = globalThis as unknown as { moveClock: (ms: number) => void };
        if (!isSeen) page.moveClock(5000);
        return isSeen;
      });
    await row(80).getByText("Reading …").waitFor();
    await row(90).getByText("Reading …").waitFor();
    expect(await act("Approve").count()).toBe(0);
    await dialog.locator(".cs-button[data-tone=primary]").focus();
    await keyboard.down("Enter");
    await expect.poll(() => read(80)).toBe(true);
    // The time in which the first was read does not count for the second.
    expect(await row(90).getByText("Seen", { exact: true }).count()).toBe(0);
    await act("Approve 1 · 80").waitFor();
    await expect.poll(() => read(90)).toBe(true);
    await act("Approve 2 · 170").waitFor();
    for (let times = 0; times < 3; times++) await keyboard.down("Enter");
    await keyboard.up("Enter");
    for (let times = 0; times < 3; times++) await keyboard.press("a");
    expect(decisions).toEqual([]);
    expect(await site.harness.pending(2)).toHaveLength(2);
    await keyboard.press("Enter");
    await dialog.waitFor({ state: "hidden" });
    expect(decisions).toHaveLength(1);
  });

  it("counts no time for a row below the head of the table", async () => {
    const amounts = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19];
    const { visitor, page, row, dialog } = await openTableOf(amounts, {
      before: stoppedClock,
      viewport: { width: 1280, height: 420 },
    });
    await using _visitor = visitor;
    const first = row(10).getByText("Seen", { exact: true });
    // The head covers the first row, which is within its scrolled box. The page learns it with its next frames.
    await page.evaluate(`{
      const box = document.querySelector(".cs-batch-scroll");
      const [first, top] = [box.querySelector("tbody tr"), box].map((each) => each.getBoundingClientRect().top);
      box.scrollTop += first - top - 2;
      new Promise((done) => {
        let frames = 0;
        const next = () => (++frames > 4 ? done() : requestAnimationFrame(next));
        next();
      });
    }`);
    const seen = async (what: Locator) => {
      await moveClock(page, 5000);
      return what.count();
    };
    await expect.poll(() => seen(row(12).getByText("Seen", { exact: true }))).toBe(1);
    await expect.poll(() => seen(row(13).getByText("Seen", { exact: true }))).toBe(1);
    await visitor.picture("batch-below-head");
    expect(await first.count()).toBe(0);
    await dialog.locator(".cs-batch-scroll").evaluate((box) => {
      box.scrollTop = 0;
    });
    await expect.poll(() => seen(first)).toBe(1);
  });
});
