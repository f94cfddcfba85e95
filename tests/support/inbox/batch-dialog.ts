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
    /** What the page says about decisions. */
    messages: page.getByRole("region", { name: "Your latest decisions" }),
    /** Waits until this many rows were read. */
    read: (count: number) => expect.poll(() => dialog.getByText("Seen", { exact: true }).count()).toBe(count),
    /** The button of this name, once it can be pressed. */
    act: (name: string) =>
      dialog.getByRole("button", { name, exact: false }).and(page.locator(":not([aria-disabled])")),
  };
}
