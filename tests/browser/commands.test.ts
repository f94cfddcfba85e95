import { expect, it } from "vitest";
import { liveGrants } from "../support/agents/grant-desk.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefundDesk } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import { moveClock, moveClockUntilReady, stoppedClock } from "../support/inbox/stopped-clock.js";
import type { VisitOptions } from "../support/inbox/visitor.js";

/** Each key with what it does, as the help prints them. */
const helpLines = [
  ...[
    "AApprove",
    "Ctrl EnterApprove with changes",
    "DDeny",
    "GAllow again without asking",
    "EEdit",
    "RShow or hide raw JSON",
  ],
  ...["SSnooze", "UUndo this, or take back your decision on it"],
  ...[
    "EscCancel",
    "EnterConfirm an approval",
    "JNext request",
    "KPrevious request",
    "EnterOpen the first of the list",
  ],
  ...["XSelect or deselect this request", "Shift XSelect up to this one", "Ctrl ASelect all of the list"],
  ...["BReview the selected ones together", "FShow or hide filters"],
  ...["/Search", "↑↓Move in the list", "SpaceSelect the row that has the focus"],
  ...[
    "UTake back your latest decision or snooze",
    "Ctrl KSearch or run a command",
    "F6Next part of the page",
  ],
  ...["EscBack to the list", "?Keyboard shortcuts", "EnterDeny", "1 to 9Choose a reason"],
  ...["SpaceLeave the row out, or take it in", "DDeny the row", "EnterOpen it"],
];

describeInBrowser("the commands of the inbox", (visit) => {
  const desk = shared(() =>
    openRefundDesk(({ amount }) => ({
      ...(amount > 500 ? { risk: "high" } : { risk: "medium", grantable: ["user"] }),
      extensions: 1,
    })),
  );

  /** Opens a refund on a page whose clock stands still. */
  async function openRefund(amount = 80, options: Partial<VisitOptions> = {}) {
    const site = await desk();
    const { runId } = await site.ask(amount);
    const visitor = await visit(site, { as: "finance", before: stoppedClock, ...options });
    const { page } = visitor;
    await visitor.open(`Refund ${amount} EUR`);
    await visitor.button("Approve: refund").waitFor();
    const palette = page.getByRole("dialog", { name: "Commands" });
    const decisions: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().includes("/decision")) decisions.push(request.url());
    });
    return {
      ...{ site, runId, visitor, page, palette, decisions, keyboard: page.keyboard },
      async run(typed: string) {
        await page.keyboard.press("Control+k");
        await palette.getByRole("combobox").fill(typed);
        await page.keyboard.press("Enter");
        await palette.waitFor({ state: "hidden" });
      },
      tooEarly: () => page.getByRole("status").filter({ hasText: "Not approved yet" }).waitFor(),
      approved: () => page.getByText("You approved").first().waitFor(),
    };
  }

  it("are all in the help with their keys, and in the palette those of the open call first, but for what approves it", async () => {
    const { site, runId, visitor, page, palette, keyboard, run, approved } = await openRefund();
    await using _visitor = visitor;
    await keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.waitFor();
    await visitor.picture("help");
    const lines = await help.locator("dl > div").allTextContents();
    expect(lines).toEqual(helpLines);
    await keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });

    await keyboard.press("Control+k");
    const options = palette.getByRole("option");
    await expect.poll(() => options.first().textContent()).toBe("This requestDenyD");
    expect(await options.last().textContent()).toBe("This requestApprove: Refund 80 EUR for order A-1A");
    expect(await options.filter({ hasText: "Approve with changes" }).count()).toBe(0);
    await visitor.picture("palette");
    await keyboard.press("Escape");
    await palette.waitFor({ state: "hidden" });
    await moveClockUntilReady(page);
    await run("approve");
    await approved();
    await site.harness.ended(runId);
    expect(site.effects).toHaveLength(1);
    await keyboard.press("Control+k");
    await options.filter({ hasText: "History" }).first().waitFor();
    expect(await options.filter({ hasText: /^This requestApprove/ }).count()).toBe(0);
  });

  it("approve nothing that was not seen, as the key does not, and are not offered over the table of selected calls", async () => {
    const { visitor, page, palette, decisions, keyboard, run, tooEarly, approved } = await openRefund();
    await using _visitor = visitor;
    // The time that the palette covers the call does not count.
    await keyboard.press("Control+k");
    await palette.waitFor();
    await moveClock(page, 10_000);
    await keyboard.type("approve");
    await keyboard.press("Enter");
    await palette.waitFor({ state: "hidden" });
    await tooEarly();
    await run("approve");
    await tooEarly();

    await keyboard.press("x");
    await keyboard.press("b");
    const table = page.getByRole("dialog");
    await table.waitFor();
    await keyboard.press("Control+k");
    expect(await palette.count()).toBe(0);
    await keyboard.press("Escape");
    await table.waitFor({ state: "hidden" });
    expect(decisions).toEqual([]);
    await moveClockUntilReady(page);
    await run("approve");
    await approved();
  });

  it("open the confirmation of a call with a high risk, and approve nothing; their keys are those of a Mac on a Mac", async () => {
    const mac = 'Object.defineProperty(navigator, "platform", { value: "MacIntel" });';
    const opened = await openRefund(800, { before: `${stoppedClock}\n${mac}` });
    const { visitor, page, decisions, palette, keyboard } = opened;
    await using _visitor = visitor;
    await moveClockUntilReady(page);
    const open = visitor.button("Search or run a command");
    expect(await open.textContent()).toBe("Search or run a command⌘K");
    expect(await open.getAttribute("aria-keyshortcuts")).toBe("Meta+K");
    await keyboard.press("Meta+k");
    await palette.getByRole("combobox").fill("approve");
    await keyboard.press("Enter");
    const confirm = page.getByRole("form", { name: "Approve" }).locator("[data-tone=primary]");
    await expect.poll(() => confirm.textContent()).toBe("Approve: refundEnter");
    expect(decisions).toEqual([]);
  });

  it("do nothing with Enter alone, nor approve with a text that fits a page as well or press the button that follows", async () => {
    const { site, visitor, page, palette, decisions, keyboard, run } = await openRefund();
    await using _visitor = visitor;
    await moveClockUntilReady(page);
    const open = visitor.button("Search or run a command");
    expect(await open.getAttribute("aria-keyshortcuts")).toBe("Control+K");
    expect(await open.textContent()).toBe("Search or run a commandCtrl K");
    await open.click();
    await palette.getByRole("option").first().waitFor();
    await keyboard.press("Enter");
    await keyboard.press("Escape");
    await palette.waitFor({ state: "hidden" });
    await run("deny");
    await page.getByRole("form", { name: "Deny" }).waitFor();
    await expect
      .poll(() => page.evaluate("document.activeElement.textContent") as Promise<string>)
      .toBe("DenyEnter");
    await keyboard.press("Escape");
    await page.getByRole("form", { name: "Deny" }).waitFor({ state: "hidden" });
    await run("refund");
    await run("appro");
    await page.waitForURL((url) => !url.pathname.includes("/approvals/"));
    expect(decisions).toEqual([]);
    expect(await site.harness.pending(1)).toHaveLength(1);
  });

  it("assign the open call, hand it on, give it more time, and offer to allow such calls", async () => {
    const { site, visitor, page, palette, keyboard, run } = await openRefund();
    await using _visitor = visitor;
    await run("assign to me");
    await page.getByText("Assigned to you").waitFor();
    await keyboard.press("Control+k");
    await palette.getByRole("option", { name: "Reassign" }).waitFor();
    expect(await palette.getByRole("option", { name: "Assign to me" }).count()).toBe(0);
    await keyboard.press("Escape");
    await palette.waitFor({ state: "hidden" });
    await run("reassign");
    const dialog = page.getByRole("dialog", { name: "Reassign" });
    await dialog.waitFor();
    await keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await run("allow again");
    await page.getByRole("menuitem").first().waitFor();
    await keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "hidden" });
    await run("extend");
    await page.getByRole("menuitem", { name: "10 more minutes" }).click();
    await expect.poll(async () => (await site.harness.onlyPending()).extensionsLeft).toBe(0);
    await keyboard.press("Control+k");
    await palette.getByRole("option", { name: "Deny" }).waitFor();
    await expect.poll(() => palette.getByRole("option", { name: "Extend" }).count()).toBe(0);
  });

  it("give a standing permission with four keys from the open list, not before the button has filled", async () => {
    const site = await desk();
    await site.ask(60);
    await using visitor = await visit(site, { as: "finance", before: stoppedClock });
    const { page } = visitor;
    await visitor.rows().first().waitFor();
    let keys = 0;
    const press = async (key: string) => {
      keys += 1;
      await page.keyboard.press(key);
    };
    await press("j");
    await visitor.button("Allow again without asking").waitFor();
    await press("g");
    await page.getByRole("menuitem").first().and(page.locator(":focus")).waitFor();
    await press("Enter");
    const approve = page.getByRole("form", { name: "Approve" }).locator("[type=submit]");
    await approve.and(page.locator(":focus")).waitFor();
    // The call was not on the screen for long enough.
    expect(await approve.getAttribute("aria-disabled")).toBe("true");
    await page.keyboard.press("Enter");
    await moveClockUntilReady(page);
    await expect.poll(() => approve.getAttribute("aria-disabled")).toBeNull();
    expect(await liveGrants(site.harness)).toEqual([]);
    await press("Enter");
    await expect.poll(() => liveGrants(site.harness)).toHaveLength(1);
    expect(keys).toBe(4);
  });

  it("of the open call come before those of the page, also after another language was chosen", async () => {
    // Nobody else of this file, whose tests are in English.
    const { visitor, page, keyboard } = await openRefund(80, { as: "lead" });
    await using _visitor = visitor;
    const address = page.url();
    await page.getByRole("button", { name: /, menu$/ }).click();
    await page.getByRole("menuitemradio", { name: "Deutsch" }).click();
    await page.getByRole("button", { name: /, Menü$/ }).waitFor();
    await page.getByRole("menu").waitFor({ state: "hidden" });
    await visitor.button("Ablehnen").waitFor();
    await keyboard.press("d");
    const panel = page.getByRole("form", { name: "Ablehnen" });
    await panel.waitFor();
    // Outside of the text field, which handles Escape itself.
    await panel.getByRole("button").first().focus();
    await keyboard.press("Escape");
    await panel.waitFor({ state: "hidden" });
    expect(page.url()).toBe(address);
    await visitor.button("Ablehnen").waitFor();
  });
});
