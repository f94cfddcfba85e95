import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { bookingRule } from "../support/booking-desk.js";
import { violations } from "../support/inbox/accessibility.js";
import { openBookings } from "../support/inbox/bookings.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { shared } from "../support/inbox/shared.js";
import { movableDay, moveClockUntilReady, moveDay, stoppedClock } from "../support/inbox/stopped-clock.js";
import { scrollsSidewaysOnPhone, type Visitor } from "../support/inbox/visitor.js";
import { releaseCalls, stopCalls } from "../support/stops.js";

const byLead = { tools: "book.undo", verdict: "ask", approvers: { roles: ["lead"] } };
const minutes = 60_000;

/** The parts of the page that undo a call. */
function undoOn({ page, button }: Visitor) {
  const form = page.getByRole("form", { name: "Undo" });
  return {
    open: button(/^Undo/),
    form,
    reason: form.getByRole("textbox", { name: /Reason/ }),
    confirm: form.getByRole("button", { name: /^Undo this/ }),
    /** The words about the undo beside the outcome. */
    says: (text: string | RegExp) => page.getByRole("status").getByText(text).first().waitFor(),
  };
}

const focused = (page: Page) => page.evaluate("document.activeElement.textContent");

describeInBrowser("undoing a call in the inbox", (visit) => {
  /** Orders whose carrier does not answer. */
  const failing = new Set<string>();
  const bookings = shared(() =>
    openBookings({
      cancel: (order) => {
        if (failing.has(order)) throw new Error("The carrier does not answer");
      },
    }),
  );
  const cancelled = async (order: string) =>
    (await bookings()).cancelled.filter(({ input }) => (input as { order: string }).order === order).length;

  it("is offered from the decision to its end", async () => {
    const site = await bookings();
    const { id } = await site.ask("A-1");
    await using visitor = await visit(site, { as: "finance", path: `/approvals/${id}` });
    const { page } = visitor;
    const undo = undoOn(visitor);
    await page.getByText("May be undone within 10 minutes after it has run").waitFor();
    await visitor.ready();
    expect(await undo.open.count()).toBe(0);
    await visitor.button("Approve").click();
    await undo.says(/You can undo it until/);
    const looks = async (part: string) => {
      expect(await violations(page)).toEqual([]);
      expect(await scrollsSidewaysOnPhone(page)).toBe(false);
      await visitor.picture(`undo-${part}`);
    };
    await looks("possible");

    await undo.open.click();
    await undo.reason.fill("The wrong order");
    await looks("panel");
    await undo.confirm.click();
    await undo.says(/Requested by finance/);
    await page
      .getByText(/^Undone at/)
      .first()
      .waitFor();
    await expect.poll(() => focused(page)).toBe("View undo");
    expect(await undo.open.count()).toBe(0);
    expect(await cancelled("A-1")).toBe(1);
    await looks("done");

    await page.getByRole("link", { name: "View undo" }).click();
    await page.getByText("Undoes an earlier request, as finance asked").waitFor();
    await page.getByText("“The wrong order”").first().waitFor();
    await looks("call");
    const rows = page.getByRole("list", { name: "Decided approvals" }).getByRole("listitem");
    await rows.filter({ hasText: "Undone" }).first().waitFor();
    await looks("history");
  });

  it("is a command with a key, and needs a call that was seen, whatever key is pressed", async () => {
    const site = await bookings();
    const call = await site.book("A-2");
    await using visitor = await visit(site, {
      ...{ as: "finance", path: `/history/${call.id}`, before: stoppedClock },
    });
    const { page } = visitor;
    const undo = undoOn(visitor);
    await undo.open.waitFor();
    await page.keyboard.press("?");
    await page.getByText("Undo this").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Commands" });
    await palette.getByRole("option", { name: /Undo this/ }).waitFor();
    await page.keyboard.type("undo");
    await page.keyboard.press("Enter");
    await palette.waitFor({ state: "hidden" });
    await undo.form.waitFor();
    await expect
      .poll(() => undo.reason.evaluate("document.activeElement.id"))
      .toBe(await undo.reason.getAttribute("id"));
    await page.keyboard.type("wrong");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe("UndoU");

    await page.keyboard.press("u");
    expect(await undo.reason.inputValue()).toBe("wrong");
    expect(await undo.confirm.getAttribute("aria-disabled")).toBe("true");
    expect((await site.harness.approval(call.id)).undo).toMatchObject({ undoId: null });
    await moveClockUntilReady(page);
    await expect.poll(() => undo.confirm.getAttribute("aria-disabled")).toBeNull();
    await page.keyboard.press("Enter");
    await undo.says(/Undone at/);
    expect(await cancelled("A-2")).toBe(1);
  });

  it("is no longer offered when its time is over, without a reload", async () => {
    await using site = await openBookings();
    const call = await site.book("A-1");
    const path = `/history/${call.id}`;
    await using visitor = await visit(site, { as: "finance", path, before: movableDay });
    const { page } = visitor;
    const undo = undoOn(visitor);
    await undo.open.click();
    await undo.reason.fill("The wrong order");
    await moveDay(page, 11 * minutes);
    await undo.says(/The time to undo this is over/);
    expect(await undo.reason.inputValue()).toBe("The wrong order");
    expect(await undo.confirm.getAttribute("aria-disabled")).toBe("true");
    await visitor.picture("undo-time-over");

    // The page has its true time again, and nothing is typed.
    await page.reload();
    await undo.open.waitFor();
    site.harness.clock.advance(11 * minutes);
    await moveDay(page, 11 * minutes);
    await undo.open.waitFor({ state: "detached" });
    await page.getByText(/Could be undone until/).waitFor();
    await page.getByText(/^Undo until/).waitFor({ state: "detached" });
    await page.keyboard.press("u");
    expect(await undo.form.count()).toBe(0);
  });

  it("keeps what was typed if the server refuses it, and can be requested again if it failed", async () => {
    const site = await bookings();
    const call = await site.book("A-4");
    failing.add("A-4");
    await using visitor = await visit(site, {
      ...{ as: "finance", path: `/history/${call.id}`, expected: /409/ },
    });
    const { page } = visitor;
    const undo = undoOn(visitor);
    await undo.open.click();
    await undo.reason.fill("The wrong order");
    const stop = await stopCalls(site.harness.store, "book.undo");
    await undo.confirm.click();
    const alert = page.getByRole("alert").filter({ hasText: "What you typed is kept" });
    await alert.getByText("An operator has stopped book.undo").waitFor();
    expect(await undo.reason.inputValue()).toBe("The wrong order");
    expect(await violations(page)).toEqual([]);
    await visitor.picture("undo-refused");

    await releaseCalls(site.harness.store, stop);
    await undo.confirm.click();
    await undo.says(/Its undo ran and failed\. It may be requested again until/);
    expect(await violations(page)).toEqual([]);
    await visitor.picture("undo-failed");
    failing.clear();
    await undo.open.click();
    await undo.confirm.click();
    await undo.says(/Undone at/);
    expect(await cancelled("A-4")).toBe(2);
  });

  it("waits for others where the rules say so, and can be requested again if they deny it", async () => {
    await using site = await openBookings({ rules: [bookingRule, byLead] });
    const call = await site.book("A-1");
    await using visitor = await visit(site, { as: "finance", path: `/history/${call.id}` });
    const undo = undoOn(visitor);
    const ask = async (reason: string) => {
      await undo.open.click();
      await undo.reason.fill(reason);
      await undo.confirm.click();
      await undo.says("Undo requested by finance. It waits for lead.");
      expect(await undo.open.count()).toBe(0);
    };
    await ask("The wrong order");
    expect(await violations(visitor.page)).toEqual([]);
    await visitor.picture("undo-waiting");
    const first = await site.harness.call("lead", "/approvals?status=pending");
    await site.harness.decide(first.body.items[0], "deny", "lead", "It has left");
    await undo.says(/lead denied its undo: “It has left”\. It may be requested again until/);
    expect(site.cancelled).toEqual([]);

    await ask("It has not");
    // They may not view the call itself.
    await using lead = await visit(site, { as: "lead", expected: /404/ });
    let refuse = () => {};
    const seen = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    const callPath = `**/api/approvals/${call.id}`;
    await lead.page.route(callPath, async (route) => {
      await seen;
      await route.continue();
    });
    const refusal = lead.page.waitForResponse(callPath);
    await lead.open(/book\.undo/);
    await lead.page.getByText("Undoes an earlier request, as finance asked").waitFor();
    await lead.page.getByText("“It has not”").waitFor();
    const link = lead.page.getByRole("link", { name: "View it" });
    expect(await link.count()).toBe(0);
    refuse();
    expect((await refusal).status()).toBe(404);
    expect(await link.count()).toBe(0);
    expect(await violations(lead.page)).toEqual([]);
    await lead.picture("undo-to-approve");
    await lead.ready();
    await lead.button("Approve undo").click();
    await undo.says(/Undone at .+ Requested by finance\./);
    expect(site.cancelled).toHaveLength(1);
  });

  it("is offered for calls that ran without a question, to those who may decide them", async () => {
    const notify = { ...bookingRule, verdict: "notify" };
    await using site = await openBookings({ rules: [notify] });
    const call = await site.book("A-1");
    const path = `/history/${call.id}`;
    await using visitor = await visit(site, { as: "finance", path });
    const undo = undoOn(visitor);
    await undo.says(/^Ran without asking/);
    await undo.says(/You can undo it until/);
    await visitor.page
      .getByRole("list", { name: "Decided approvals" })
      .getByText(/^Undo until/)
      .waitFor();
    await visitor.picture("undo-notified");

    await using requester = await visit(site, { as: "requester", path });
    await undoOn(requester).says(/May be undone until/);
    await requester.page.keyboard.press("u");
    expect(await undoOn(requester).open.count()).toBe(0);
    expect(await undoOn(requester).form.count()).toBe(0);
  });
});
