import { expect } from "vitest";
import type { Visit } from "./describe-in-browser.js";
import type { openRefundDesk } from "./refunds.js";
import type { VisitOptions, Visitor } from "./visitor.js";

/** Selects the calls of the only conversation, and opens the dialog that reviews them together. */
export async function reviewTogether({ page, button }: Visitor, count: number) {
  await button(`Select ${count}`).click();
  await page.keyboard.press("b");
  const dialog = page.getByRole("dialog", { name: `Review ${count} together` });
  await dialog.getByRole("row").nth(count).waitFor();
  return dialog;
}

/** Asks for refunds of these amounts, and opens their table. */
export async function openTable(
  visit: Visit,
  site: Awaited<ReturnType<typeof openRefundDesk>>,
  amounts: number[],
  options: VisitOptions = {},
) {
  const { runId } = await site.ask(...amounts);
  const visitor = await visit(site, { as: "finance", ...options });
  const { page } = visitor;
  const dialog = await reviewTogether(visitor, amounts.length);
  const row = (amount: number) => dialog.getByRole("row", { name: `Refund ${amount} EUR` });
  return {
    ...{ site, runId, visitor, page, dialog, row },
    /** Changes the first argument of a row that can be edited, by its keys. */
    async change(amount: number, text: string) {
      await row(amount).focus();
      await page.keyboard.press("e");
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    },
    /** Waits until this many rows were read. */
    read: (count: number) => expect.poll(() => dialog.getByText("Seen", { exact: true }).count()).toBe(count),
    /** The button of this name, once it can be pressed. */
    act: (name: string) =>
      dialog.getByRole("button", { name, exact: false }).and(page.locator(":not([aria-disabled])")),
  };
}
