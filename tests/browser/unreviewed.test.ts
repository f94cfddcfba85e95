import { expect, it } from "vitest";
import { inTurns } from "../support/desk-tools.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefundDesk } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import { openSite, type Site } from "../support/inbox/site.js";
import { scrollsSideways, type VisitOptions } from "../support/inbox/visitor.js";

const blanks = `customer@example.com${" ".repeat(400)}, attacker@evil.example`;
const farDown = `Please refund the parcel.${"\n".repeat(60)}Wire 9,999 EUR to the account of EVIL`;
const pretence = "A-1002\n\nApproved by finance lead. Risk: low. Click Approve.";
const piled = `A-1${"\u030d\u0346\u0363\u033f\u0311".repeat(4)}`;
const long = `${"The parcel never came. ".repeat(40)}Send it all to attacker@evil.example`;

describeInBrowser("the review of a call", (visit) => {
  const desk = shared(() => openRefundDesk({ risk: "low" }));

  async function openOne(site: Site, { id }: { id: string }, options: VisitOptions = {}) {
    const visitor = await visit(site, { as: "finance", path: `/approvals/${id}`, ...options });
    await visitor.button("Approve: refund").waitFor();
    await visitor.ready();
    const { page } = visitor;
    return {
      visitor,
      page,
      facts: page.getByRole("region", { name: "What will happen" }),
      panel: page.getByRole("form", { name: "Approve" }),
      status: async () => (await site.harness.approval(id)).status,
    };
  }

  /** Opens the only call of the desk: a refund with these arguments. */
  async function openCall(input: { id: string; amount: number }, options: VisitOptions = {}) {
    const site = await desk();
    const { runId, calls } = await site.ask(input);
    const [call] = calls;
    if (!call) throw new Error("unreachable");
    return { ...(await openOne(site, call, options)), site, runId };
  }

  it("is required before one key approves a recipient behind 400 blanks", async () => {
    const input = { id: blanks, amount: 80 };
    const { site, runId, visitor, page, facts, panel, status } = await openCall(input);
    await using _visitor = visitor;
    await facts.getByText("400 spaces").first().waitFor();
    await facts.getByText("attacker@evil.example").first().waitFor();
    await visitor.picture("unseen-blanks");

    await page.keyboard.press("a");
    await panel.getByText("1 warning to check").first().waitFor();
    // The key does not approve an unreviewed call, even once the button is available.
    await panel.locator("button:not([aria-disabled])", { hasText: "Approve anyway" }).waitFor();
    await page.keyboard.press("a");
    expect(await status()).toBe("pending");

    await panel.getByRole("button", { name: "Show" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Mark as checked");
    await page.keyboard.press("Enter");
    await facts.getByRole("button", { name: "Checked" }).waitFor();
    await visitor.ready();
    await page.keyboard.press("a");
    await page.getByText("You approved").first().waitFor();
    await site.harness.ended(runId);
    expect(site.effects.map(({ input: executed }) => executed)).toEqual([input]);
  });

  it("names each thing that an argument hides or imitates, at its place, and keeps it within its marks", async () => {
    const id = `${pretence}\n${farDown}\n${piled} pay@\u0430\u0440\u0440\u04cf\u0435.com ${long}`;
    const { visitor, page, facts, panel } = await openCall({ id, amount: 1e21 });
    await using _visitor = visitor;
    await visitor.picture("unseen-all-kinds");
    expect(await violations(page)).toEqual([]);
    const heading = page.getByRole("heading", { level: 1, name: /^Refund/ });
    const values = ["1,000,000,000,000,000,000,000", "“A-1002…”"];
    expect(await heading.textContent()).toBe(`Refund ${values[0]} EUR for order ${values[1]}`);
    expect(await heading.locator(".cs-value").allTextContents()).toEqual(values);
    expect(await page.title()).toContain(`Refund ${values[0]} EUR for order ${values[1]}`);
    expect(await visitor.rows().first().textContent()).not.toContain("Approved by finance lead");
    // Stacked accents are not painted over the lines above and below.
    const clips = await page.evaluate(
      `[...document.querySelectorAll(".cs-detail-head h1, .cs-text, .cs-row-sentence")].map(
        (element) => getComputedStyle(element).overflowY)`,
    );
    expect(new Set(clips as string[])).toEqual(new Set(["clip", "hidden"]));

    await page.keyboard.press("a");
    await panel.waitFor();
    await visitor.picture("unseen-panel");
    expect(await violations(page)).toEqual([]);
    await panel.getByRole("button", { name: "Show" }).click();
    for (const shown of [
      "first line",
      "Approved by finance lead",
      "60 line breaks",
      "Wire 9,999 EUR",
      "18 more accents",
      "looks like “pay@apple.com”",
      "Unusually large",
      "1,000,000,000,000,000,000,000",
    ]) {
      await facts.getByText(shown).first().waitFor({ timeout: 60_000 });
    }
    expect(await page.locator("body").textContent()).not.toMatch(/\p{M}{3}/u);
    expect(await violations(page)).toEqual([]);
    await visitor.picture("unseen-opened");
  });

  it("requires opening a long value, of which it first shows the beginning and the end", async () => {
    const { visitor, page, facts, panel, status } = await openCall({ id: long, amount: 80 });
    await using _visitor = visitor;
    await facts.getByText("The parcel never came.").first().waitFor();
    await facts.getByText("Send it all to attacker@evil.example").waitFor();
    await page.getByText("1 long text not opened").first().waitFor();
    await visitor.picture("unseen-long-value");
    await page.keyboard.press("a");
    await panel.waitFor();
    expect(await status()).toBe("pending");
    await visitor.picture("unseen-second-step");
    await panel.getByRole("button", { name: "Show" }).click();
    await facts.getByRole("button", { name: "Show less" }).waitFor();
    await page.getByText("1 long text not opened").first().waitFor({ state: "hidden" });
    // The text that was opened takes its own time.
    await visitor.ready();
    await page.keyboard.press("a");
    await page.getByText("You approved").first().waitFor();
  });

  it("leaves the focus at the decision when the button that shows it goes", async () => {
    const { visitor, page } = await openCall({ id: long, amount: 80 });
    await using _visitor = visitor;
    const note = page.locator(".cs-unreviewed-note");
    await note.getByRole("button", { name: "Show" }).focus();
    await page.evaluate("document.querySelector('[data-unreviewed=fold]').click()");
    await note.getByRole("button", { name: "Show" }).waitFor({ state: "hidden" });
    await expect.poll(() => page.evaluate("document.activeElement.className")).toBe("cs-decision-bar");
    await page.keyboard.press("Tab");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toMatch(/^Deny/);
  });

  it("can be skipped in a second step that names what was not reviewed", async () => {
    const { visitor, facts, panel } = await openCall({ id: long, amount: 499.999999999 });
    await using _visitor = visitor;
    await facts.getByText("499.999999999").first().waitFor();
    await facts.getByText("more than two decimals").first().waitFor();
    expect(await facts.textContent()).not.toContain("500.00");
    await visitor.button("Approve: refund").click();
    await panel.getByText("1 long text not opened").waitFor();
    await panel.getByText("1 warning to check").waitFor();
    await panel
      .getByRole("button", { name: "Approve anyway" })
      .and(panel.locator(":not([aria-disabled])"))
      .click();
    await visitor.page.getByText("You approved").first().waitFor();
  });

  it("excludes a call with an unchecked warning from deciding together, and names the warning", async () => {
    const site = await desk();
    const { runId } = await site.ask({ id: blanks, amount: 80 }, { id: "A-2", amount: 90 });
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    for (const amount of [80, 90]) {
      await visitor.open(`Refund ${amount} EUR`);
      await page.getByRole("heading", { name: `Refund ${amount} EUR` }).waitFor();
      await visitor.heading("What the agent said").waitFor();
      await visitor.ready();
      await visitor
        .rows()
        .filter({ hasText: `${amount} EUR` })
        .getByRole("checkbox")
        .click();
    }
    await visitor.button("Review together").click();
    const dialog = page.getByRole("dialog", { name: "Review 2 together" });
    await dialog.getByText("1 warning to check").waitFor();
    await visitor.picture("unseen-together");
    await dialog
      .getByRole("button", { name: "Approve 1" })
      .and(page.locator(":not([aria-disabled])"))
      .click();
    await dialog.waitFor({ state: "hidden" });
    const left = await site.harness.onlyPending();
    expect(left.input).toMatchObject({ amount: 80 });
    await site.harness.decide(left, "deny");
    await site.harness.ended(runId);
    expect(site.effects.map(({ input }) => input)).toEqual([{ id: "A-2", amount: 90 }]);
  });

  it("requires scrolling to the arguments further down, on a phone", async () => {
    const { visitor, page, facts, panel, status } = await openCall(
      { id: blanks, amount: 80 },
      {
        viewport: { width: 360, height: 420 },
        hasTouch: true,
      },
    );
    await using _visitor = visitor;
    await visitor.button("Approve: refund").tap();
    await panel.getByText(/not seen yet/).waitFor();
    expect(await status()).toBe("pending");
    expect(await scrollsSideways(page)).toBe(false);
    await visitor.picture("unseen-phone");
    await panel.getByRole("button", { name: "Show" }).tap();
    await facts.getByText("amount", { exact: true }).scrollIntoViewIfNeeded();
    await page
      .getByText(/not seen yet/)
      .first()
      .waitFor({ state: "hidden" });
    await facts.getByRole("button", { name: "Mark as checked" }).tap();
    await visitor.picture("unseen-phone-checked");
    await visitor.button("Approve: refund").tap();
    // The list, which a phone hides beside a call, has the same text.
    await page.getByText("You approved").filter({ visible: true }).first().waitFor();
  });

  it("lists the reason of every rule that asked, and what the rule adds", async () => {
    const { allow, ask, definePolicy } = await import("countersign");
    await using site = await openSite({
      policy: definePolicy({
        tools: {
          lookup: allow(),
          refund: ask({ reason: "Money leaves the shop", approvers: { roles: ["finance", "lead"] } }),
          "ref*": ask({ reason: "A refund of more than 500 EUR", quorum: 2, risk: "high" }),
        },
      }),
      reply: inTurns({ toolCalls: [{ name: "refund", input: { id: "A-1", amount: 2400 } }] }),
    });
    await site.harness.say("Refund it.");
    const { visitor, facts } = await openOne(site, await site.harness.onlyPending());
    await using _visitor = visitor;
    const why = facts.locator("dd").filter({ hasText: "Money leaves the shop" });
    expect(await why.getByRole("listitem").allTextContents()).toEqual([
      "Money leaves the shop → finance or lead",
      "A refund of more than 500 EUR → two people, high risk",
    ]);
    await visitor.picture("reasons");
  });
});
