import type { Locator } from "playwright-core";
import { expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { openTable } from "../support/inbox/batch-dialog.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefundDesk, openRefunds } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import { moveClock, stoppedClock } from "../support/inbox/stopped-clock.js";
import { scrollsSideways, type VisitOptions } from "../support/inbox/visitor.js";

describeInBrowser("several calls in one table", (visit) => {
  const desk = shared(openRefundDesk);

  const openTableOf = async (amounts: number[], options: VisitOptions = {}) =>
    openTable(visit, await desk(), amounts, options);

  it("shows each whole, with a total, what is unlike the others, and that somebody else has decided one", async () => {
    const table = await openTableOf([20, 25, 30, 240]);
    const { site, runId, visitor, page, dialog, row, read, act } = table;
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
    await expect.poll(() => dialog.getByText("Now approved").count()).toBe(3);
    await site.harness.ended(runId);
    expect(site.effects.map(({ input }) => input)).toEqual(
      expect.arrayContaining([20, 25, 240].map((amount) => expect.objectContaining({ amount }))),
    );
    expect(site.effects).toHaveLength(3);
  });

  it("reviews and approves ten by the keyboard in fewer than fifteen keys, and takes one slip back with one", async () => {
    const amounts = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19];
    await using site = await openRefunds(amounts, { holdFor: "1m" }, { holdMs: 60_000 });
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.rows().nth(9).waitFor();
    let keys = 0;
    const press = async (key: string) => {
      keys += 1;
      await page.keyboard.press(key);
    };
    await page.getByRole("button", { name: "Select 10" }).focus();
    await press("Enter");
    await press("b");
    const dialog = page.getByRole("dialog", { name: "Review 10 together" });
    await expect.poll(() => dialog.getByText("Seen", { exact: true }).count(), { timeout: 60_000 }).toBe(10);
    await dialog
      .getByRole("button", { name: "Approve 10 · 145" })
      .and(page.locator(":not([aria-disabled])"))
      .waitFor();
    for (
      let at = 0;
      at < 6 && !(await page.evaluate<boolean>('document.activeElement.matches("[data-tone=primary]")'));
      at++
    )
      await press("Tab");
    await press("Enter");
    await expect.poll(() => dialog.getByText("Approved", { exact: true }).count()).toBe(10);
    await press("Escape");
    await press("u");
    await visitor.button("Approve: refund").waitFor();
    expect(keys).toBeLessThan(15);
    expect(await site.harness.pending(10)).toHaveLength(10);
    expect(site.effects).toEqual([]);
  });

  it("leaves out, denies and approves by the keys of a row", async () => {
    const { site, runId, visitor, page, dialog, row, read, act } = await openTableOf([80, 90, 95]);
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
    await row(90).getByText("Now denied").waitFor();
    await row(95).getByText("Now approved").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
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
    await row(80).getByText("Not read yet").waitFor();
    await row(90).getByText("Not read yet").waitFor();
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
    await expect.poll(() => dialog.getByText("Now approved").count()).toBe(2);
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
