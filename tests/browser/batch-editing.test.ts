import { expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { openTable } from "../support/inbox/batch-dialog.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefundDesk } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import { scrollsSideways, type VisitOptions } from "../support/inbox/visitor.js";

const editable = {
  decisions: ["approve", "edit", "deny"],
  editable: ["amount"],
} satisfies Parameters<typeof openRefundDesk>[0];

describeInBrowser("editing in the table of several calls", (visit) => {
  const desk = shared(() => openRefundDesk(editable));

  /** Opens a table whose amounts can be edited, with keys for its cells. */
  async function openEditable(amounts: number[], options: VisitOptions = {}, of = desk) {
    const opened = await openTable(visit, await of(), amounts, options);
    const { page, dialog, row } = opened;
    const decisions: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && /\/decisions?$/.test(request.url())) decisions.push(request.url());
    });
    return {
      ...opened,
      field: dialog.getByRole("textbox", { name: "amount" }),
      keyboard: page.keyboard,
      cell: (amount: number, name: string) =>
        row(amount).locator(`td[data-column='${JSON.stringify([name])}']`),
      selection: () => page.evaluate<string>("String(getSelection())"),
      focused: () => page.evaluate<string | undefined>("document.activeElement.dataset.column"),
      /** How many decisions the page has sent. */
      decided: () => decisions.length,
    };
  }

  it("changes one amount by the keyboard, and approves all", async () => {
    const table = await openEditable([80, 90, 55]);
    const { site, runId, visitor, page, dialog, row, read, act, keyboard } = table;
    const { field, cell, selection, focused } = table;
    await using _visitor = visitor;
    await read(3);
    await row(80).focus();
    await keyboard.press("ArrowRight");
    await keyboard.press("e");
    await dialog
      .getByRole("status")
      .filter({ hasText: "The rule does not open this argument for editing" })
      .waitFor();
    expect(await dialog.getByRole("textbox").count()).toBe(0);
    await visitor.picture("batch-edit-refused");

    await keyboard.press("ArrowRight");
    await keyboard.press("e");
    await field.waitFor();
    expect([await field.inputValue(), await selection()]).toEqual(["80", "80"]);
    // Esc gives back what was there, and does not close the dialog.
    await keyboard.type("7");
    await keyboard.press("Escape");
    await field.waitFor({ state: "hidden" });
    expect([await cell(80, "amount").locator("del").count(), await focused()]).toEqual([0, '["amount"]']);

    await keyboard.press("e");
    await keyboard.type("50");
    await visitor.picture("batch-edit-open");
    expect(await violations(page)).toEqual([]);
    await keyboard.press("Enter");
    await cell(80, "amount").locator("ins").getByText("50").waitFor();
    expect(await cell(80, "amount").textContent()).toMatch(/was 80.*will be 50/);
    expect(await focused()).toBe('["amount"]');
    await act("Approve 3 · 195 · 1 changed").waitFor();
    await visitor.picture("batch-edited");
    expect(await violations(page)).toEqual([]);
    await act("Approve 3 · 195 · 1 changed").click();
    await row(50).getByText("Now approved with 1 change").waitFor();
    await row(90).getByText("Now approved", { exact: true }).waitFor();
    await site.harness.ended(runId);
    expect(site.effects.map(({ input }) => input)).toEqual(
      expect.arrayContaining([
        { id: "A-1", amount: 50 },
        { id: "A-2", amount: 90 },
        { id: "A-3", amount: 55 },
      ]),
    );
  });

  it("goes with Tab from cell to cell, and keeps the change when the focus or the dialog goes away", async () => {
    const table = await openEditable([80, 90]);
    const { visitor, page, dialog, row, read, field, keyboard, selection, focused } = table;
    await using _visitor = visitor;
    // What can be edited is known once a call has loaded.
    await read(2);
    await row(80).focus();
    await keyboard.press("e");
    await keyboard.type("81");
    await keyboard.press("Tab");
    await row(90).getByRole("textbox").waitFor();
    expect([await field.count(), await selection()]).toEqual([1, "90"]);
    await keyboard.press("Shift+Tab");
    await row(80).getByRole("textbox").waitFor();
    expect(await selection()).toBe("81");
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await field.waitFor({ state: "hidden" });
    expect(await focused()).toBe('["amount"]');
    await row(80).getByText("81").waitFor();

    await read(2);
    await row(80).focus();
    await keyboard.press("e");
    await keyboard.type("82");
    // If only the window has lost the focus, the editor stays.
    await field.evaluate((input) => input.dispatchEvent(new FocusEvent("focusout", { bubbles: true })));
    expect(await field.inputValue()).toBe("82");
    // As with Done of a keyboard on the screen.
    await page.evaluate("document.activeElement.blur()");
    await field.waitFor({ state: "hidden" });
    await row(80).getByText("82").waitFor();
    expect(await focused()).toBe('["amount"]');

    await row(80).focus();
    await keyboard.press("e");
    // Closed with the pointer while the field is open.
    await field.fill("50");
    await dialog.getByRole("button", { name: "Close", exact: true }).first().click();
    await dialog.waitFor({ state: "hidden" });
    await keyboard.press("b");
    await row(80).getByText("50").waitFor();
    await dialog.getByRole("button", { name: "Approve 2 · 140 · 1 changed" }).waitFor();
    await keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    // The page of the call shows it too.
    await visitor.open("Refund 80 EUR");
    await visitor.button("Approve with 1 change").waitFor();
  });

  it("takes letters as text, and acts once for a key that is held down", async () => {
    const { site, visitor, dialog, row, read, field, keyboard, decided } = await openEditable([80, 90]);
    await using _visitor = visitor;
    await read(2);
    await row(80).focus();
    for (let times = 0; times < 4; times++) await keyboard.down("e");
    await keyboard.up("e");
    expect(await field.inputValue()).toBe("80");
    // Outside of the field, letters do nothing while it is open.
    for (const key of ["d", " "]) {
      await row(90).evaluate(
        (element, pressed) =>
          element.dispatchEvent(new KeyboardEvent("keydown", { key: pressed, bubbles: true })),
        key,
      );
      expect([key, await dialog.locator("tr[data-choice=approve]").count()]).toEqual([key, 2]);
    }
    await field.focus();
    await keyboard.press("Control+a");
    await keyboard.type("da e");
    expect(await field.inputValue()).toBe("da e");
    await keyboard.press("Control+a");
    await keyboard.type("60");
    for (let times = 0; times < 4; times++) await keyboard.down("Enter");
    await keyboard.up("Enter");
    await row(80).getByText("60").waitFor();
    for (const [key, choice] of [
      ["Space", "leave"],
      ["d", "deny"],
    ] as const) {
      for (let times = 0; times < 4; times++) await keyboard.down(key);
      await keyboard.up(key);
      expect([key, await row(80).getAttribute("data-choice")]).toEqual([key, choice]);
    }
    expect(decided()).toBe(0);
    expect(await site.harness.pending(2)).toHaveLength(2);
  });

  it("blocks only the call whose change is invalid, or needs somebody else's approval", async () => {
    await using site = await openRefundDesk(({ amount }) => ({
      ...editable,
      approvers: { roles: amount > 100 ? ["lead"] : ["finance"] },
    }));
    const table = await openTable(visit, site, [80, 90, 55]);
    const { runId, visitor, page, dialog, row, read, change: edit } = table;
    await using _visitor = visitor;
    await read(3);
    await edit(80, "300");
    await row(80).getByText("the policy requires someone else's approval").waitFor();
    await edit(90, "half");
    await row(90).getByText("amount: Enter a number, such as 12.50").waitFor();
    await visitor.picture("batch-edit-blocked");
    expect(await violations(page)).toEqual([]);
    const approve = dialog.getByRole("button", { name: "Approve 1 · 55" });
    await approve.and(page.locator(":not([aria-disabled])")).click();
    await row(55).getByText("Now approved").waitFor();
    expect(await site.harness.pending(2)).toHaveLength(2);
    await dialog.getByRole("button", { name: "Close" }).last().click();
    // What was typed for the others is kept.
    await visitor.open("Refund 80 EUR");
    expect(await page.getByRole("textbox", { name: "amount" }).inputValue()).toBe("300");
    for (const left of await site.harness.pending(2)) await site.harness.decide(left, "deny");
    await site.harness.ended(runId);
    expect(site.effects.map(({ input }) => input)).toEqual([{ id: "A-3", amount: 55 }]);
  });

  const held = shared(() => openRefundDesk({ ...editable, holdFor: "1m" }, { holdMs: 60_000 }));

  it("lets a changed call be taken back like the others, also if no response arrives at first", async () => {
    const { site, visitor, page, row, read, act, change, cell } = await openEditable(
      [80, 90],
      { expected: /ERR_FAILED/ },
      held,
    );
    await using _visitor = visitor;
    await read(2);
    await change(80, "50");
    await act("Approve 2 · 140 · 1 changed").click();
    await row(50).getByText("Approved with 1 change").waitFor();
    await cell(50, "amount").getByText("50").waitFor();
    await page.route("**/take-back", (route) => route.abort(), { times: 1 });
    const back = row(50).getByRole("button", { name: "Take back" });
    const failed = page.waitForEvent("requestfailed");
    await back.click();
    await failed;
    await back.and(page.locator(":not([aria-disabled])")).click();
    await row(80).getByText("Waits again").waitFor();
    // Its button is gone, so its row has the focus.
    await expect.poll(() => row(80).evaluate((element) => element === document.activeElement)).toBe(true);
    await expect.poll(() => cell(80, "amount").textContent()).not.toContain("50");
    expect(
      (await site.harness.pending(2)).filter(({ held }: { held: unknown }) => held === null),
    ).toHaveLength(1);
    expect(site.effects).toEqual([]);
  });

  it("is possible by touch, in a narrow window", async () => {
    const { visitor, page, row, field, act } = await openEditable([80, 90], {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    await using _visitor = visitor;
    await row(80).getByRole("button", { name: "Edit amount" }).tap();
    await field.fill("50");
    await visitor.picture("batch-edit-phone");
    expect(await violations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await row(90).getByText("A-2").tap();
    await field.waitFor({ state: "hidden" });
    await act("Approve 2 · 140 · 1 changed").tap();
    await row(50).getByText("Now approved with 1 change").waitFor();
  });
});
