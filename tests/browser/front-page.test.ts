import { expect, it } from "vitest";
import { askingPolicy, hostileAddress } from "../support/demo/asking-policy.js";
import { openDemo } from "../support/demo/demo-in-process.js";
import { sidesOf, siteOf } from "../support/demo/front-page.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { shared } from "../support/inbox/shared.js";
import type { Visitor } from "../support/inbox/visitor.js";

describeInBrowser("the demo's front page", (visit) => {
  const shop = shared(openDemo);

  /** The demo for a test of its own, which sees the effects since it began. */
  async function demoForTest() {
    const demo = await shop();
    const earlier = (await demo.effects()).length;
    return { ...demo, effects: async () => (await demo.effects()).slice(earlier) };
  }

  it("takes a request on the left and an approval on the right, and shows the effect in the chat, also after a reload", async () => {
    const demo = await demoForTest();
    // The page uses its own tokens, whoever is signed in to the inbox.
    await using visitor = await visit(siteOf(demo), { as: "demo-legal" });
    const { page } = visitor;
    const { chat, card, call, suggest } = sidesOf(visitor);
    await suggest(/Please refund order A-1001/);
    const waiting = call("Call: Refund 49.90 EUR for order A-1001");
    const decision = card("Refund 49.90 EUR for order A-1001");
    await waiting.getByText("Admin, Finance or Lead can decide.").waitFor();
    await waiting.getByText(/^(29|30) min left$/).waitFor();
    await decision.getByText("for requester").waitFor();
    expect(await demo.effects()).toEqual([]);

    await page.reload();
    await chat.getByRole("log").getByText("Please refund order A-1001", { exact: true }).waitFor();
    await waiting.getByText("Waiting for a person.").waitFor();
    await decision.getByRole("button", { name: "Approve refund" }).click();
    await waiting.getByText("Finance approved. It ran once.").waitFor();

    await chat.getByText("Order A-1001 is refunded: 49.90 EUR.", { exact: true }).waitFor();
    await decision.getByText(/^You approved · ran/).waitFor();
    expect(await demo.effects()).toMatchObject([{ toolName: "issue_refund", input: { amount: 49.9 } }]);

    await page.reload();
    await waiting.getByText("Finance approved. It ran once.").waitFor();
    await chat.getByText("Order A-1001 is refunded: 49.90 EUR.", { exact: true }).waitFor();
    expect(await chat.getByRole("article").count()).toBe(1);
    expect(await demo.effects()).toHaveLength(1);
  });

  it("shows in the chat why a call did not run: that the policy forbids it, or the reason of a denial", async () => {
    const demo = await demoForTest();
    await using visitor = await visit(siteOf(demo));
    const { chat, desk, card, call, suggest, send } = sidesOf(visitor);
    await suggest(/Delete customer C-7/);
    const forbidden = call(/C-7/);
    await forbidden.getByText("The policy forbids this. It did not run.").waitFor();
    await forbidden.getByText("Customers are deleted by the data team only").waitFor();
    await desk.getByText("Nothing waits for you.").waitFor();
    await chat.getByRole("button", { name: "Send", disabled: false }).waitFor();

    await send("Please refund order A-1002");
    const decision = card(/order A-1002/);
    await decision.getByRole("button", { name: "Deny" }).click();
    await decision.getByRole("textbox", { name: /Reason/ }).fill("Not without a receipt");
    await decision.getByRole("button", { name: "Deny" }).click();
    const denied = call(/order A-1002/);
    await denied.getByText("Finance denied this. It did not run.").waitFor();
    await denied.getByText("Not without a receipt").waitFor();
    expect(await demo.effects()).toEqual([]);
  });

  it("takes the answer to a question on either side, and to that of an MCP server from approvers alone", async () => {
    const demo = await demoForTest();
    await using visitor = await visit(siteOf(demo));
    const { chat, desk, suggest, send } = sidesOf(visitor);
    const booked = (carrier: string, order: string) =>
      chat
        .getByText(new RegExp(`The booking of ${carrier} for order ${order} is done`))
        .first()
        .waitFor();
    const choice = chat.getByRole("button", { name: "UPS" });
    const sendEnabled = chat.getByRole("button", { name: "Send", disabled: false });
    await suggest(/Ask which carrier/);
    await choice.click();
    await booked("UPS", "A-1002");
    await sendEnabled.waitFor();

    await send("Ask which carrier to use for A-1003");
    await choice.waitFor();
    await desk.getByRole("radio", { name: "GLS" }).check();
    await desk.getByRole("button", { name: "Send answer" }).click();
    await booked("GLS", "A-1003");
    expect(await choice.count()).toBe(0);
    await sendEnabled.waitFor();

    await send("Book a courier for A-1004");
    await chat.getByText("Admin, Finance or Lead can answer.").waitFor();
    expect(await chat.getByRole("button", { name: "Decline to answer" }).count()).toBe(0);
    await desk.getByRole("radio", { name: "12:00 to 16:00" }).check();
    await desk.getByRole("button", { name: "Send answer" }).click();
    await chat
      .getByText("A courier is booked for order A-1004, from 12:00 to 16:00.", { exact: true })
      .waitFor();
    expect(await demo.effects()).toMatchObject([
      { toolName: "book_carrier", input: { carrier: "UPS" } },
      { toolName: "book_carrier", input: { carrier: "GLS" } },
      { toolName: "courier-book", input: { window: "12:00 to 16:00" } },
    ]);
  });

  it("needs two people for a large refund", async () => {
    const demo = await demoForTest();
    await using visitor = await visit(siteOf(demo));
    const { desk, card, call, suggest } = sidesOf(visitor);
    const asked = call(/A-1020/);
    const decision = card(/A-1020/);
    await suggest(/Refund order A-1020/);
    await asked.getByText("Waiting for 2 people.").waitFor();
    const person = desk.getByRole("combobox", { name: "Decide as" });
    for (const name of ["Finance", "Lead"]) {
      // After the first vote, the page offers to go on as somebody who is still needed.
      if (name === "Lead") await desk.getByRole("button", { name: "Decide as Lead" }).click();
      expect(await person.locator("option:checked").textContent()).toBe(name);
      await decision.getByRole("button", { name: "Approve refund" }).click();
      const panel = decision.getByRole("form", { name: "Approve" });
      await panel.locator('button[type="submit"]:not([aria-disabled])').click();
      if (name === "Finance") await asked.getByText("Waiting for a person.").waitFor();
    }
    await asked.getByText(/approved. It ran once/).waitFor();
    expect(await demo.effects()).toHaveLength(1);
  });

  it("names a call that the person who decides may not see, and goes on as somebody who decides it", async () => {
    const demo = await demoForTest();
    await using visitor = await visit(siteOf(demo));
    const { desk, card, suggest } = sidesOf(visitor);
    await desk.getByRole("combobox", { name: "Decide as" }).selectOption("Legal");
    await suggest(/Please refund order A-1001/);
    await desk.getByText(/^1 more waits for (Admin|Finance|Lead)\./).waitFor();
    expect(await violations(visitor.page)).toEqual([]);
    expect(await desk.getByRole("article").count()).toBe(0);
    await desk.getByRole("button", { name: /^Decide as/ }).click();
    await card(/A-1001/)
      .getByRole("button", { name: "Approve refund" })
      .waitFor();
  });

  it("has no accessibility violations in any of its states, and warns of text that hides or imitates something", async () => {
    await using demo = await openDemo(askingPolicy());
    await using visitor = await visit(siteOf(demo));
    const { page } = visitor;
    const { chat, card, folded, send } = sidesOf(visitor);
    const first = card(/Refund .* A-1002/);
    const second = card(/Refund .* A-1003/);
    const mail = card(/^Email/);
    const firstLine = folded(/A-1002/);
    const secondLine = folded(/A-1003/);
    await chat.getByText("Delete customer C-7").waitFor();
    expect(await violations(page)).toEqual([]);
    await send("Refund A-1002 and A-1003 and tell the customer");
    await second.waitFor();
    await mail.getByRole("link", { name: "Open in the inbox" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await visitor.picture(`front-page`);
    await first.getByRole("button", { name: "Approve refund" }).click();
    await firstLine.getByText("approved").waitFor();
    // A decided card gets smaller, and moves the next one from under the pointer: a click in between meets neither.
    await second.getByRole("button", { name: "Deny" }).press("Enter");
    await second.getByRole("textbox", { name: /Reason/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type("Too late");
    await page.keyboard.press("Enter");
    await secondLine.getByText("denied").waitFor();
    // The focus was in a card that is folded now.
    await expect.poll(() => mail.evaluate((element) => element.matches(":focus"))).toBe(true);
    await mail.getByRole("button", { name: "Deny" }).press("Enter");
    await mail.getByRole("textbox", { name: /Reason/ }).waitFor();
    await page.keyboard.press("Enter");
    await chat.getByText("More to try").click();
    expect(await violations(page)).toEqual([]);
    await chat.getByText("More to try").click();
    await chat.getByRole("button", { name: "Send", disabled: false }).waitFor();
    await send("Ask for the new address for A-1003");
    await chat.getByRole("textbox", { name: "City" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await visitor.picture(`front-page-question`);

    const earlier = (await demo.effects()).length;
    await expectWarnings(visitor);
    expect(await demo.effects()).toHaveLength(earlier);
  });
});

/** Answers the question about an address with one that hides and imitates: both sides say so. */
async function expectWarnings(visitor: Visitor) {
  const { chat, desk, call, card } = sidesOf(visitor);
  const { street, postcode, city } = hostileAddress;
  const fields = { "Street and number": street, Postcode: postcode, City: city };
  for (const [name, text] of Object.entries(fields)) await chat.getByRole("textbox", { name }).fill(text);
  await chat.getByRole("combobox", { name: "Country" }).selectOption("DE");
  await chat.getByRole("button", { name: "Send answer" }).click();
  const warnings = call(/change_address|address/i).getByRole("list", { name: "Warnings" });
  const decision = card(/change_address|address/i);
  for (const words of [
    "Characters that change the text direction: right-to-left override (U+202E)",
    "contains digits from another script",
    "mixes letters from different alphabets; it looks like “Salem”",
  ]) {
    await warnings.getByText(words).waitFor();
    await decision.getByText(words).waitFor();
  }
  expect(await chat.textContent()).not.toContain("\u202e");
  expect(await desk.textContent()).not.toContain("\u202e");
}
