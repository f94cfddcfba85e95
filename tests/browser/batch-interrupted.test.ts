import { expect, it } from "vitest";
import { openTable } from "../support/inbox/batch-dialog.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { holdBack } from "../support/inbox/hold-back.js";
import { openRefundDesk } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";

const editable = {
  decisions: ["approve", "edit", "deny"],
  editable: ["amount"],
} satisfies Parameters<typeof openRefundDesk>[0];

describeInBrowser("a table of several calls that is interrupted", (visit) => {
  const desk = shared(() => openRefundDesk(editable));

  it("sends what it shows: nothing can be chosen while the decisions are on their way", async () => {
    const table = await openTable(visit, await desk(), [80, 90]);
    const { site, runId, visitor, page, dialog, row, read, act, messages } = table;
    await using _visitor = visitor;
    const { keyboard } = page;
    await read(2);
    const { arrived, release } = await holdBack(page, "**/decisions");
    await act("Approve 2 · 170").click();
    await arrived;
    await dialog.getByRole("button", { name: /Sending your decisions/ }).waitFor();
    await row(80).focus();
    for (const key of ["d", "Space"]) {
      await keyboard.press(key);
      expect([key, await dialog.locator("tr[data-choice=approve]").count()]).toEqual([key, 2]);
    }
    await row(90).getByRole("checkbox").click({ force: true });
    expect(await row(90).getByRole("checkbox").isChecked()).toBe(true);
    release();
    await dialog.waitFor({ state: "hidden" });
    await messages.getByText("2 approved · 170").waitFor();
    await site.harness.ended(runId);
    expect(site.effects.map(({ input }) => input)).toEqual(
      expect.arrayContaining([
        { id: "A-1", amount: 80 },
        { id: "A-2", amount: 90 },
      ]),
    );
  });

  it("keeps what was typed on the page of a call while the decisions were on their way", async () => {
    await using site = await openRefundDesk({ ...editable, holdFor: "1m" }, { holdMs: 60_000 });
    const { visitor, page, dialog, read, act } = await openTable(visit, site, [80, 90]);
    await using _visitor = visitor;
    await read(2);
    const { arrived, release } = await holdBack(page, "**/decisions");
    await act("Approve 2 · 170").click();
    await arrived;
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await visitor.open("Refund 80 EUR");
    await visitor.ready();
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "amount" }).fill("40");
    release();
    await page.getByRole("article").getByRole("button", { name: "Take back" }).click();
    await visitor.button("Approve with 1 change").waitFor();
    expect(await page.getByRole("textbox", { name: "amount" }).inputValue()).toBe("40");
    expect(await site.harness.pending(2)).toHaveLength(2);
    expect(site.effects).toEqual([]);
  });

  it("has the choices and the reason again after a call was opened from it, and shows what others have decided", async () => {
    const table = await openTable(visit, await desk(), [80, 90, 95]);
    const { site, visitor, page, dialog, row, read, act } = table;
    await using _visitor = visitor;
    const { keyboard } = page;
    await read(3);
    await row(80).focus();
    await keyboard.press("d");
    await row(90).focus();
    await keyboard.press("Space");
    await dialog.getByRole("textbox", { name: /Reason for denying/ }).fill("Refunded in the shop");
    await row(95).getByRole("link", { name: "Open: Refund 95 EUR" }).click();
    await dialog.waitFor({ state: "hidden" });
    await visitor.heading("Refund 95 EUR").waitFor();
    await visitor.ready();
    await keyboard.press("b");
    await act("Approve 1 · 95 and deny 1").waitFor();
    expect(await row(90).getAttribute("data-choice")).toBe("leave");
    expect(await dialog.getByRole("textbox", { name: /Reason for denying/ }).inputValue()).toBe(
      "Refunded in the shop",
    );
    await keyboard.press("Escape");
    await visitor.button("Clear").click();
    await visitor.button("Select 3").click();
    await keyboard.press("b");
    await act("Approve 3 · 265").waitFor();
    await row(80).focus();
    const { items } = (await site.harness.call("lead", "/approvals?status=pending")).body;
    const other = items.find(({ input }: { input: { amount: number } }) => input.amount === 80);
    await site.harness.decide(other, "deny", "lead");
    await row(80).getByText("lead already decided this").waitFor();
    await expect.poll(() => row(80).evaluate((element) => element === document.activeElement)).toBe(true);
    await act("Approve 2 · 185").click();
    await dialog.waitFor({ state: "hidden" });
  });

  it("can be sent again after a failure", async () => {
    const table = await openTable(visit, await desk(), [80, 90], { expected: /ERR_FAILED/ });
    const { visitor, page, dialog, row, read, act, messages } = table;
    await using _visitor = visitor;
    await read(2);
    await page.route("**/decisions", (route) => route.abort(), { times: 1 });
    await act("Approve 2 · 170").click();
    await dialog.getByRole("alert").waitFor();
    await row(90).focus();
    await page.keyboard.press("Space");
    expect(await row(90).getAttribute("data-choice")).toBe("leave");
    await act("Approve 1 · 80").click();
    await dialog.waitFor({ state: "hidden" });
    await messages.getByText("You approved").waitFor();
  });
});
