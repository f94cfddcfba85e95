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

  it("sends what it shows: nothing can be chosen or changed while the decisions are on their way", async () => {
    const { site, runId, visitor, page, dialog, row, read, act, change } = await openTable(
      visit,
      await desk(),
      [80, 90],
    );
    await using _visitor = visitor;
    const { keyboard } = page;
    await read(2);
    await change(80, "50");
    const { arrived, release } = await holdBack(page, "**/decisions");
    await act("Approve 2 · 140 · 1 changed").click();
    await arrived;
    await dialog.getByRole("button", { name: /Sending your decisions/ }).waitFor();
    await dialog
      .getByRole("row", { name: "Refund 80 EUR for order A-1, with amount 50: to approve" })
      .focus();
    for (const key of ["d", "Space", "e"]) {
      await keyboard.press(key);
      expect([key, await dialog.locator("tr[data-choice=approve]").count()]).toEqual([key, 2]);
    }
    await dialog
      .getByRole("checkbox", { name: "Approve: Refund 80 EUR for order A-1, with amount 50" })
      .waitFor();
    await row(90).getByRole("checkbox").click({ force: true });
    expect(await row(90).getByRole("checkbox").isChecked()).toBe(true);
    expect(await dialog.getByRole("textbox").count()).toBe(0);
    expect(await dialog.getByRole("button", { name: /^Edit/ }).count()).toBe(0);
    release();
    await row(50).getByText("Now approved with 1 change").waitFor();
    await row(90).getByText("Now approved", { exact: true }).waitFor();
    // Nor afterwards.
    await row(90).focus();
    await keyboard.press("d");
    expect(await row(90).getAttribute("data-choice")).toBe("approve");
    await site.harness.ended(runId);
    expect(site.effects.map(({ input }) => input)).toEqual(
      expect.arrayContaining([
        { id: "A-1", amount: 50 },
        { id: "A-2", amount: 90 },
      ]),
    );
  });

  it("shows what became of each changed call while the next one is on its way", async () => {
    const { site, visitor, page, row, read, act, change } = await openTable(visit, await desk(), [80, 90]);
    await using _visitor = visitor;
    await read(2);
    for (const [amount, changed] of [
      [80, "50"],
      [90, "60"],
    ] as const) {
      await change(amount, changed);
    }
    const second = (await site.harness.pending(2)).find(({ summary }) => summary.includes("Refund 90"));
    const { arrived, release } = await holdBack(page, `**/approvals/${second?.id}/decision`);
    await act("Approve 2 · 110 · 2 changed").click();
    await arrived;
    await row(50).getByText("Now approved with 1 change").waitFor();
    expect(await row(90).locator("[data-outcome]").count()).toBe(0);
    release();
    await row(60).getByText("Now approved with 1 change").waitFor();
  });

  it("keeps what was typed on the page of a call while the decisions were on their way", async () => {
    await using site = await openRefundDesk({ ...editable, holdFor: "1m" }, { holdMs: 60_000 });
    const { visitor, page, dialog, read, act, change } = await openTable(visit, site, [80, 90]);
    await using _visitor = visitor;
    const { keyboard } = page;
    await read(2);
    await change(80, "50");
    const { arrived, release } = await holdBack(page, "**/decisions");
    await act("Approve 2 · 140 · 1 changed").click();
    await arrived;
    await keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await visitor.open("Refund 80 EUR");
    await page.getByRole("textbox", { name: "amount" }).fill("40");
    release();
    await page.getByRole("article").getByRole("button", { name: "Take back" }).click();
    await visitor.button("Approve with 1 change").waitFor();
    expect(await page.getByRole("textbox", { name: "amount" }).inputValue()).toBe("40");
    expect(await site.harness.pending(2)).toHaveLength(2);
    expect(site.effects).toEqual([]);
  });

  it("has the choices and the reason again after a call was opened from it, and closes the editor of one that is decided", async () => {
    const { site, visitor, page, dialog, row, read, act } = await openTable(
      visit,
      await desk(),
      [80, 90, 95],
    );
    await using _visitor = visitor;
    const { keyboard } = page;
    await read(3);
    await row(80).focus();
    await keyboard.press("d");
    await row(90).focus();
    await keyboard.press("Space");
    await dialog.getByRole("textbox", { name: /Reason for denying/ }).fill("Refunded in the shop");
    await keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await visitor.open("Refund 95 EUR");
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

    // The editor closes when somebody else decides its call, and the focus stays in its cell.
    await row(80).focus();
    await keyboard.press("e");
    await keyboard.type("50");
    const { items } = (await site.harness.call("lead", "/approvals?status=pending")).body;
    const other = items.find(({ input }: { input: { amount: number } }) => input.amount === 80);
    await site.harness.decide(other, "deny", "lead");
    await row(80).getByText("lead already decided this").waitFor();
    await dialog
      .getByRole("status")
      .filter({ hasText: "This call is decided, so you cannot change it" })
      .waitFor();
    expect(await dialog.getByRole("textbox").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.dataset.column")).toBe('["amount"]');
    await keyboard.press("ArrowDown");
    await keyboard.press("e");
    await row(90).getByRole("textbox").waitFor();
    await keyboard.press("Escape");
    await act("Approve 2 · 185").click();
    await row(90).getByText("Now approved").waitFor();
  });

  it("shows no change as made after a failure, when somebody else has approved the call as proposed", async () => {
    const { site, visitor, page, dialog, row, read, act, change } = await openTable(
      visit,
      await desk(),
      [80, 90],
      {
        expected: /ERR_FAILED/,
      },
    );
    await using _visitor = visitor;
    const { keyboard } = page;
    await read(2);
    await change(80, "50");
    await page.route("**/decisions", (route) => route.abort());
    await act("Approve 2 · 140 · 1 changed").click();
    await dialog.getByRole("alert").waitFor();
    // What was not sent can be changed again.
    await row(90).focus();
    await keyboard.press("Space");
    expect(await row(90).getAttribute("data-choice")).toBe("leave");
    const { items } = (await site.harness.call("lead", "/approvals?status=pending")).body;
    const other = items.find(({ input }: { input: { amount: number } }) => input.amount === 80);
    await site.harness.decide(other, "approve", "lead");
    await row(80).getByText("lead already decided this").waitFor();
    expect(await row(80).locator("ins").count()).toBe(0);
  });
});
