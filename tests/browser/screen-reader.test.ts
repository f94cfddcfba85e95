import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { announcements, focused, keepAnnouncements } from "../support/inbox/heard.js";
import { openRefunds } from "../support/inbox/refunds.js";

/** The keys of a walk, what has the focus after each, and what is announced. "…" stands for any text. */
const walk: readonly (readonly [key: string, focus: string, said?: string])[] = [
  // To a call
  ["Tab", "Pending, link"],
  ["Tab", "History, link"],
  ["Tab", "More, button, collapsed"],
  ["Tab", "Search or run a command, button, shortcut Control+K"],
  ["Tab", "finance, menu, button, collapsed"],
  ["Tab", "For you 3, link"],
  ["Tab", "Search this list, searchbox, shortcut /"],
  ["Tab", "Filter, button, collapsed, shortcut F"],
  ["Tab", "Select 3, button"],
  ["ArrowDown", "Refund 80 EUR for order A-1 … left , Expires …, link, Refund 80 EUR for order A-1"],
  ["ArrowDown", "Refund 90 EUR for order A-2 … left , Expires …, link, Refund 90 EUR for order A-2"],
  // Reading and deciding
  ["Enter", "Refund 90 EUR for order A-2, heading"],
  ["Tab", "Skip to the decision, button"],
  ["F6", "Approve: refund, button, shortcut A…"],
  ["d", "Deny, button, shortcut Enter"],
  ["Escape", "Deny, button, shortcut D"],
  ["e", "amount, textbox"],
  ["Escape", "Edit, button, shortcut E"],
  ["a", "Refund 2,400 EUR for order A-3, heading", "You approved … Refund 90 EUR for order A-2 Take back"],
  ["u", "Refund 90 EUR for order A-2, heading"],
  ["j", "Refund 2,400 EUR for order A-3, heading"],
  ["k", "Refund 90 EUR for order A-2, heading"],
  // Several calls
  ["x", "Refund 90 EUR for order A-2, heading", "1 selected 1 of 1 opened by you"],
  ["j", "Refund 2,400 EUR for order A-3, heading"],
  ["x", "Refund 2,400 EUR for order A-3, heading", "2 selected 2 of 2 opened by you"],
  ["b", "Close, button", "All of them are read."],
  ["Escape", "Refund 2,400 EUR for order A-3, heading"],
];

function pattern(text: string): RegExp {
  const parts = text.split(/ ?… ?/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[\\s\\S]*")}$`);
}

describeInBrowser("a screen reader in the inbox", (visit) => {
  it("says where the focus is and what happened, from the address bar to a decision and back", async () => {
    await using site = await openRefunds(
      [80, 90, 2400],
      { decisions: ["approve", "edit", "deny"], editable: ["amount"], holdFor: "60s" },
      { holdMs: 60_000 },
    );
    await using visitor = await visit(site, { as: "finance", before: keepAnnouncements });
    const { page } = visitor;
    await visitor.rows().nth(2).waitFor();
    let open = false;
    for (const [key, focus, said] of walk) {
      // What a key does depends on what has been read.
      if (open) await visitor.ready();
      const before = (await announcements(page)).length;
      await page.keyboard.press(key);
      await expect.poll(() => focused(page), { message: `the focus after ${key}` }).toMatch(pattern(focus));
      if (said !== undefined) {
        const heard = async () => (await announcements(page)).slice(before);
        await expect
          .poll(heard, { message: `announced after ${key}` })
          .toContainEqual(expect.stringMatching(pattern(said)));
      }
      open ||= key === "Enter";
    }
  });
});
