import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefundDesk } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import { moveClock, moveClockUntilReady, stoppedClock } from "../support/inbox/stopped-clock.js";

describeInBrowser("keys in the inbox", (visit) => {
  const desk = shared(() =>
    openRefundDesk(({ amount }) => ({
      decisions: ["approve", "edit", "deny"],
      editable: ["amount"],
      risk: amount > 500 ? "high" : "medium",
    })),
  );

  /** Opens the most urgent of some refunds, on a page whose clock stands still. */
  async function openFirst(...amounts: number[]) {
    const site = await desk();
    const { runId } = await site.ask(...amounts);
    const visitor = await visit(site, { as: "finance", before: stoppedClock });
    const { page } = visitor;
    const decisions: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().includes("/decision")) decisions.push(request.url());
    });
    await visitor
      .rows()
      .nth(amounts.length - 1)
      .waitFor();
    await page.keyboard.press("Enter");
    await visitor.button("Approve: refund").waitFor();
    return {
      ...{ site, runId, visitor, page, decisions, keyboard: page.keyboard },
      tooEarly: () => page.getByRole("status").filter({ hasText: "Not approved yet" }).waitFor(),
      filled: () => page.getByRole("status").filter({ hasText: "Press again to approve" }).waitFor(),
      approved: () => page.getByText("You approved").first().waitFor(),
    };
  }

  const opened = (page: Page) => page.locator("[data-row][aria-current]").getAttribute("data-row");

  it("approve nothing when J and A are pressed without a pause", async () => {
    const { site, visitor, page, decisions, keyboard, tooEarly } = await openFirst(10, 20, 30, 40, 50);
    await using _visitor = visitor;
    for (const key of "jajajaja") await keyboard.press(key);
    // Once more with each call painted, however briefly.
    for (const key of "kkkk") {
      const before = await opened(page);
      await keyboard.press(key);
      await expect.poll(() => opened(page)).not.toBe(before);
      await page.locator(`article[data-approval="${await opened(page)}"]`).waitFor();
      await visitor.button("Approve: refund").waitFor();
      await keyboard.press("a");
      await tooEarly();
    }
    expect(decisions).toEqual([]);
    expect(await site.harness.pending(5)).toHaveLength(5);
  });

  it("fill the button if they come too early, and a second press decides", async () => {
    const { visitor, page, decisions, keyboard, tooEarly, filled, approved } = await openFirst(80);
    await using _visitor = visitor;
    await keyboard.press("a");
    await tooEarly();
    const filling = page.locator(".cs-button[data-arming]");
    expect(await filling.textContent()).toContain("(Available in a moment)");
    const animation = () =>
      page.evaluate('getComputedStyle(document.querySelector(".cs-button[data-arming]")).animationName');
    expect(await animation()).toBe("cs-arm");
    await page.emulateMedia({ reducedMotion: "reduce" });
    expect(await animation()).toBe("none");
    await visitor.picture("early-key");
    expect(await violations(page)).toEqual([]);
    await keyboard.press("a");
    await visitor.button("Approve: refund").press("Enter");
    await moveClock(page, 2000);
    await filled();
    await visitor.picture("early-key-filled");
    expect(decisions).toEqual([]);
    await keyboard.press("a");
    await approved();
  });

  it("count no time while the page is hidden, and approve with one press after two seconds of it on the screen", async () => {
    const { site, runId, visitor, page, keyboard, tooEarly, approved } = await openFirst(80);
    await using _visitor = visitor;
    const show = (state: "hidden" | "visible") =>
      page.evaluate(`{
        Object.defineProperty(document, "visibilityState", { configurable: true, value: "${state}" });
        document.dispatchEvent(new Event("visibilitychange"));
      }`);
    await page.locator(".cs-unreviewed-note:not([data-some])").waitFor({ state: "attached" });
    await show("hidden");
    await moveClock(page, 5000);
    await show("visible");
    await keyboard.press("a");
    await tooEarly();
    expect(await page.locator("article[data-ready]").count()).toBe(0);
    expect((await site.harness.onlyPending()).status).toBe("pending");
    // Once it was on the screen for two seconds, one press is enough.
    await moveClockUntilReady(page);
    await keyboard.press("a");
    await approved();
    await site.harness.ended(runId);
    expect(site.effects).toHaveLength(1);
  });

  it("do nothing more while they are held down", async () => {
    const { visitor, page, decisions, keyboard, filled, approved } = await openFirst(80);
    await using _visitor = visitor;
    await keyboard.down("a");
    await moveClock(page, 2000);
    await filled();
    for (let times = 0; times < 3; times++) await keyboard.down("a");
    await keyboard.up("a");
    // The field that a held E has focused receives no letters.
    for (let times = 0; times < 4; times++) await keyboard.down("e");
    await keyboard.up("e");
    expect(await page.getByRole("textbox", { name: "amount" }).inputValue()).toBe("80");
    await keyboard.press("Escape");
    await keyboard.down("d");
    await page.getByRole("textbox", { name: /Reason/ }).waitFor();
    await keyboard.down("d");
    await keyboard.up("d");
    expect(await page.getByRole("textbox", { name: /Reason/ }).inputValue()).toBe("");
    await keyboard.press("Escape");
    expect(decisions).toEqual([]);
    await keyboard.press("a");
    await approved();
  });

  it("do not confirm a call of high risk by the press that opened its second step", async () => {
    const { visitor, page, decisions, keyboard, approved } = await openFirst(800);
    await using _visitor = visitor;
    await moveClockUntilReady(page);
    await visitor.button("Approve: refund").focus();
    await keyboard.down("Enter");
    const panel = page.getByRole("form", { name: "Approve" });
    await panel.locator("button[type=submit]:not([aria-disabled]):focus").waitFor();
    for (let times = 0; times < 3; times++) await keyboard.down("Enter");
    await keyboard.up("Enter");
    expect(decisions).toEqual([]);
    await keyboard.press("Enter");
    await approved();
  });

  it("are text while the editor is open, whose first field E focuses and selects", async () => {
    const { site, runId, visitor, page, decisions, keyboard, approved } = await openFirst(80);
    await using _visitor = visitor;
    await moveClockUntilReady(page);
    const amount = page.getByRole("textbox", { name: "amount" });
    const focused = () => page.evaluate("document.activeElement.textContent");
    await keyboard.press("e");
    await keyboard.press("a");
    expect(await amount.inputValue()).toBe("a");
    await page.evaluate("document.activeElement.blur()");
    for (const key of "adrxjke") await keyboard.press(key);
    expect(await page.getByRole("form", { name: "Deny" }).count()).toBe(0);
    expect(await page.getByRole("toolbar", { name: "Selected" }).count()).toBe(0);
    expect(await amount.inputValue()).toBe("a");
    await visitor.picture("edit-by-keyboard");

    await keyboard.press("Escape");
    await expect.poll(() => focused()).toContain("Edit");
    await keyboard.press("r");
    await page.getByRole("region", { name: "Arguments as JSON" }).waitFor();
    await keyboard.press("e");
    await keyboard.type("50");
    expect(decisions).toEqual([]);
    await visitor.button("Approve with 1 change").and(page.locator(":not([aria-disabled])")).waitFor();
    await keyboard.press("Control+Enter");
    await approved();
    await site.harness.ended(runId);
    expect(site.effects).toEqual([{ tool: "refund", input: { id: "A-1", amount: 50 } }]);
  });

  it("select calls to decide together, of which only those that were on the screen for long enough count", async () => {
    const { visitor, page, decisions, keyboard } = await openFirst(80, 90);
    await using _visitor = visitor;
    await moveClockUntilReady(page);
    const first = await opened(page);
    await keyboard.press("x");
    await keyboard.press("j");
    await expect.poll(() => opened(page)).not.toBe(first);
    await page.locator(`article[data-approval="${await opened(page)}"]`).waitFor();
    await visitor.heading("What the agent said").waitFor();
    await keyboard.press("x");
    await page.getByRole("toolbar", { name: "Selected" }).getByText("1 of 2 opened by you").waitFor();
    await visitor.button("Review together").click();
    const dialog = page.getByRole("dialog", { name: "Review 2 together" });
    await dialog.getByText("Reading …").waitFor();
    await visitor.picture("too-brief-together");
    await dialog
      .getByRole("button", { name: "Approve 1" })
      .and(page.locator(":not([aria-disabled])"))
      .waitFor();
    expect(decisions).toEqual([]);
  });
});
