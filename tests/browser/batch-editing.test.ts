import { ask, definePolicy } from "countersign";
import { expect, it } from "vitest";
import { inTurns } from "../support/desk-tools.js";
import { violations } from "../support/inbox/accessibility.js";
import { openBatch, reviewTogether } from "../support/inbox/batch-dialog.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { refundsOf } from "../support/inbox/refunds.js";
import { openSite } from "../support/inbox/site.js";
import { scrollsSideways } from "../support/inbox/visitor.js";

const editable = { decisions: ["approve", "edit", "deny"] as const, editable: ["amount"] };

describeInBrowser("editing in the table of several calls", (visit) => {
  /** Opens a table whose amounts can be edited, with keys for its cells. */
  async function openTable(amounts: number[], options: Parameters<typeof openBatch>[2] = {}) {
    const opened = await openBatch(visit, amounts, {
      ...options,
      terms: { ...editable, decisions: [...editable.decisions], ...options.terms },
    });
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
    const table = await openTable([80, 90, 55]);
    const { site, visitor, page, dialog, row, read, act, keyboard, field, cell, selection, focused } = table;
    await using _site = site;
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
    await row(80).getByText("Now approved with 1 change").waitFor();
    await row(90).getByText("Now approved", { exact: true }).waitFor();
    await site.harness.ended(site.runId);
    expect(site.effects.map(({ input }) => input)).toEqual(
      expect.arrayContaining([
        { id: "A-1", amount: 50 },
        { id: "A-2", amount: 90 },
        { id: "A-3", amount: 55 },
      ]),
    );
  });

  it("goes with Tab from one cell that can be edited to the next, and back", async () => {
    const { site, visitor, row, field, keyboard, selection, focused } = await openTable([80, 90]);
    await using _site = site;
    await using _visitor = visitor;
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
  });

  it("keeps the change and closes when the focus goes nowhere, as with Done of a keyboard on the screen", async () => {
    const { site, visitor, page, row, read, field, keyboard, focused } = await openTable([80, 90]);
    await using _site = site;
    await using _visitor = visitor;
    await read(2);
    await row(80).focus();
    await keyboard.press("e");
    await keyboard.type("81");
    // If only the window has lost the focus, the editor stays.
    await field.evaluate((input) => input.dispatchEvent(new FocusEvent("focusout", { bubbles: true })));
    expect(await field.inputValue()).toBe("81");
    await page.evaluate("document.activeElement.blur()");
    await field.waitFor({ state: "hidden" });
    await row(80).getByText("81").waitFor();
    expect(await focused()).toBe('["amount"]');
  });

  it("takes letters as text, and acts once for a key that is held down", async () => {
    const { site, visitor, dialog, row, read, field, keyboard, decided } = await openTable([80, 90]);
    await using _site = site;
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

  it("keeps an unsent change when the dialog closes, which the page of the call shows too", async () => {
    const { site, visitor, page, dialog, row, read, field, keyboard } = await openTable([80, 90]);
    await using _site = site;
    await using _visitor = visitor;
    await read(2);
    await row(80).focus();
    await keyboard.press("e");
    // Closed with the pointer while the field is open.
    await field.fill("50");
    await dialog.getByRole("button", { name: "Close", exact: true }).first().click();
    await dialog.waitFor({ state: "hidden" });
    await page.keyboard.press("b");
    await row(80).getByText("50").waitFor();
    await dialog.getByRole("button", { name: "Approve 2 · 140 · 1 changed" }).waitFor();
    await keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await visitor.open("Refund 80 EUR");
    await visitor.button("Approve with 1 change").waitFor();
  });

  it("blocks only the call whose change is invalid, or needs somebody else's approval", async () => {
    await using site = await openSite({
      policy: definePolicy({
        tools: {
          refund: ({ input }) =>
            ask({
              ...editable,
              decisions: [...editable.decisions],
              approvers: { roles: Number(input.amount) > 100 ? ["lead"] : ["finance"] },
              summary: "Refund {{amount}} EUR",
            }),
        },
      }),
      reply: inTurns(refundsOf(80, 90, 55)),
    });
    const { runId } = await site.harness.say("Refund them.");
    await site.harness.pending(3);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    const dialog = await reviewTogether(visitor, 3);
    const row = (amount: number) => dialog.getByRole("row", { name: `Refund ${amount} EUR` });
    await expect.poll(() => dialog.getByText("Seen", { exact: true }).count()).toBe(3);
    const edit = async (amount: number, text: string) => {
      await row(amount).focus();
      await page.keyboard.press("e");
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    };
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

  it("lets a changed call be taken back like the others", async () => {
    const { site, visitor, row, read, act, keyboard, cell } = await openTable([80, 90], {
      holdMs: 60_000,
      terms: { holdFor: "1m" },
    });
    await using _site = site;
    await using _visitor = visitor;
    await read(2);
    await row(80).focus();
    await keyboard.press("e");
    await keyboard.type("50");
    await keyboard.press("Enter");
    await act("Approve 2 · 140 · 1 changed").click();
    await row(80).getByText("Approved with 1 change").waitFor();
    await cell(80, "amount").getByText("50").waitFor();
    await row(80).getByRole("button", { name: "Take back" }).click();
    await row(80).getByText("Waits again").waitFor();
    await expect.poll(() => cell(80, "amount").textContent()).not.toContain("50");
    expect(
      (await site.harness.pending(2)).filter(({ held }: { held: unknown }) => held === null),
    ).toHaveLength(1);
    expect(site.effects).toEqual([]);
  });

  it("is possible by touch, in a narrow window", async () => {
    const { site, visitor, page, row, field, act } = await openTable([80, 90], {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    await using _site = site;
    await using _visitor = visitor;
    await row(80).getByRole("button", { name: "Edit amount" }).tap();
    await field.fill("50");
    await visitor.picture("batch-edit-phone");
    expect(await violations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await row(90).getByText("A-2").tap();
    await field.waitFor({ state: "hidden" });
    await act("Approve 2 · 140 · 1 changed").tap();
    await row(80).getByText("Now approved with 1 change").waitFor();
  });
});
