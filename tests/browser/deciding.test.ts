import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { holdAnswers, holdBack } from "../support/inbox/hold-back.js";
import { openRefundDesk } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";

/** Notes how the button of the panel that opens next is first described: a slow test may look after the delay. */
const noteFirstTexts = `{
  const button = () => document.querySelector('form[aria-label="Approve"] button[type="submit"]');
  new MutationObserver((_, observer) => {
    if (!button()) return;
    globalThis.firstTexts = [button().title, button().firstChild.textContent];
    observer.disconnect();
  }).observe(document.body, { childList: true, subtree: true });
}`;

const riskOf = (amount: number) => (amount > 2000 ? "critical" : amount > 500 ? "high" : "medium");

describeInBrowser("deciding in the inbox", (visit) => {
  const desk = shared(() =>
    openRefundDesk(({ amount }) => ({ grantable: ["thread"], risk: riskOf(amount) })),
  );

  it("works by mouse: the approved call runs, and the page says so; a menu's button stays where it is", async () => {
    const site = await desk();
    const { runId } = await site.ask(80);
    await using visitor = await visit(site, { as: "finance" });
    await visitor.open("Refund 80 EUR for order A-1");
    await visitor.heading("Refund 80 EUR for order A-1").waitFor();
    await visitor.heading("What the agent said").waitFor();
    await visitor.picture("detail");
    for (const width of [390, 1280]) {
      await visitor.page.setViewportSize({ width, height: 800 });
      const before = await visitor.button("Allow again without asking").boundingBox();
      await visitor.button("Allow again without asking").click();
      await visitor.page.getByRole("menuitem").first().waitFor();
      // If the button moved during a click, the release would hit another element and close the menu.
      expect(await visitor.page.locator(".cs-button[aria-expanded=true]").boundingBox()).toEqual(before);
      await visitor.page.keyboard.press("Escape");
      await visitor.page.getByRole("menu").waitFor({ state: "hidden" });
    }
    await visitor.button("Approve: refund").click();
    await visitor.page.getByText(/^You approved · ran/).waitFor();
    await site.harness.ended(runId);
    expect(site.effects).toEqual([{ tool: "refund", input: { id: "A-1", amount: 80 } }]);
    await visitor.picture("approved");
  });

  it("says for which calls an approved one waits, and leads to the next of them", async () => {
    const site = await desk();
    const { calls } = await site.ask(80, 90, 95);
    const [first, second] = calls;
    if (!first || !second) throw new Error("unreachable");
    await site.harness.decide(first, "approve", "lead");
    await using visitor = await visit(site, { as: "finance", path: `/history/${first.id}` });
    const { page } = visitor;
    await page.getByText("It waits for 2 others of the same reply to be decided").waitFor();
    await site.harness.decide(second, "deny", "lead");
    await page.getByText("It waits for 1 other of the same reply to be decided").waitFor();
    await visitor.picture("approved-waiting");
    await page.getByRole("link", { name: "View the next of them" }).click();
    await visitor.heading("Refund 95 EUR").waitFor();
  });

  it("opens the next call, but no other if the person has left the decided one before the server answers", async () => {
    const site = await desk();
    await site.ask(80, 90, 95);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    const { arrived, release } = await holdBack(page, "**/decision");
    await visitor.open(/Refund 80/);
    await visitor.button("Approve: refund").click();
    await arrived;
    for (const amount of [90, 95]) {
      await page.keyboard.press("j");
      await visitor.heading(`Refund ${amount}`).waitFor();
    }
    release();
    await page.getByRole("region", { name: "Your latest decisions" }).getByText("Refund 80 EUR").waitFor();
    await visitor.rows().filter({ hasText: "Refund 80" }).waitFor({ state: "hidden" });
    expect(await visitor.heading("Refund 95").count()).toBe(1);

    // It opens the next one even if the decided one leaves the list before the server answers.
    const answers = await holdAnswers(page, "**/decision");
    await visitor.open("Refund 90");
    await visitor.button("Approve: refund").click();
    await visitor.rows().filter({ hasText: "Refund 90" }).waitFor({ state: "hidden" });
    answers.release();
    await visitor.heading("Refund 95 EUR").and(page.locator(":focus")).waitFor();
    expect(await visitor.button("Take back").count()).toBe(0);
  });

  it("works by keyboard alone: one call is approved, the next is denied with a reason", async () => {
    const site = await desk();
    const { runId } = await site.ask(80, 90);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    const { keyboard } = page;
    await visitor.rows().nth(1).waitFor();
    const sentences = await visitor.rows().allInnerTexts();
    const [first, second] = sentences[0]?.includes("80") ? [80, 90] : [90, 80];
    await keyboard.press("Enter");
    await visitor.heading(`Refund ${first} EUR`).waitFor();
    await visitor.ready();
    await keyboard.press("a");
    await page.getByText("You approved").first().waitFor();
    await keyboard.press("j");
    await visitor.heading(`Refund ${second} EUR`).waitFor();
    await visitor.button("Deny").waitFor();
    await keyboard.press("d");
    await page.getByRole("textbox", { name: /Reason/ }).waitFor();
    await keyboard.type("Already refunded in the shop");
    await visitor.picture("denying");
    await keyboard.press("Enter");
    await page.getByText("You denied").first().waitFor();
    await site.harness.ended(runId);
    expect(site.effects.map(({ input }) => input)).toMatchObject([{ amount: first }]);
    expect(JSON.stringify(site.harness.model.requests.at(-1)?.body)).toContain(
      "Already refunded in the shop",
    );
  });

  it("denies with a preset reason by its number, which is text where it is typed or text follows", async () => {
    const site = await desk();
    const { runId } = await site.ask(80);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    const { keyboard } = page;
    await visitor.open("Refund 80 EUR");
    await visitor.button("Deny").waitFor();
    await keyboard.press("d");
    const reason = page.getByRole("textbox", { name: /Reason/ });
    await reason.waitFor();
    await keyboard.press("2");
    const chip = (name: string) => page.getByRole("button", { name, pressed: true });
    await chip("Wrong details").waitFor();
    await keyboard.press("4");
    await chip("I will do it myself").waitFor();
    expect(await reason.inputValue()).toBe("I will do it myself");
    await visitor.picture("denying-by-number");
    // In the field, a number is text.
    await keyboard.press("j");
    await keyboard.press("2");
    expect(await reason.inputValue()).toContain("j2");
    const deny = page.getByRole("form", { name: "Deny" }).getByRole("button", { name: "Deny" });
    await reason.fill("");
    await reason.focus();
    await keyboard.type("2 payments were made");
    expect(await reason.inputValue()).toBe("2 payments were made");
    // A number does not replace what was typed.
    await deny.focus();
    await keyboard.type("1!");
    expect(await reason.inputValue()).toBe("2 payments were made1!");
    await reason.fill("");
    await deny.focus();
    await keyboard.type("24th order");
    expect(await reason.inputValue()).toBe("24th order");
    expect(await site.harness.pending(1)).toHaveLength(1);
    await reason.fill("");
    await deny.focus();
    await keyboard.press("3");
    await keyboard.press("Enter");
    await page.getByText("You denied").first().waitFor();
    await site.harness.ended(runId);
    expect(JSON.stringify(site.harness.model.requests.at(-1)?.body)).toContain("No longer needed");
    expect(site.effects).toEqual([]);
  });

  it("offers a person's own denial reasons, also in another browser", async () => {
    const site = await desk();
    // Nobody else of this file, whose tests use the reasons that everybody has.
    const as = "lead";
    const { runId, calls } = await site.ask(80);
    {
      await using visitor = await visit(site, { as });
      await visitor.open("Refund 80 EUR");
      await visitor.button("Deny").click();
      await visitor.button("Edit reasons").click();
      const dialog = visitor.page.getByRole("dialog", { name: "Denial reasons" });
      const reasons = dialog.getByRole("textbox", { name: "Reasons" });
      await reasons.fill("x".repeat(201));
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByRole("alert").waitFor();
      await reasons.fill("Over budget\nAsk me on Monday");
      await visitor.picture("deny-reasons");
      const saved = visitor.page.waitForResponse((response) => response.request().method() === "PUT");
      await dialog.getByRole("button", { name: "Save" }).click();
      expect((await saved).ok()).toBe(true);
      await visitor.button("Over budget").waitFor();
      expect(await visitor.button("Wrong details").count()).toBe(0);
      // Saving the reasons denied nothing.
      expect((await site.harness.onlyPending()).status).toBe("pending");
    }
    await using another = await visit(site, { as });
    await another.open("Refund 80 EUR");
    await another.button("Deny").click();
    await another.button("Ask me on Monday").click();
    await another.page.keyboard.press("Enter");
    await site.harness.ended(runId);
    const { decision } = await site.harness.approval(String(calls[0]?.id));
    expect(decision?.reason).toBe("Ask me on Monday");
  });

  it("requires a second step with a short delay for a high risk, and typing the amount for a critical one", async () => {
    const site = await desk();
    const { runId } = await site.ask(800, 2400);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open("Refund 800 EUR");
    await page.evaluate(noteFirstTexts);
    await visitor.button("Approve: refund").click();
    const panel = page.getByRole("form", { name: "Approve" });
    await panel.getByText("Refund 800 EUR for order A-1").waitFor();
    const approve = panel.getByRole("button", { name: "Approve: refund" });
    expect(await page.evaluate("firstTexts")).toEqual(["Available in a moment", "Hold on …"]);
    const armed = approve.and(page.locator(":not([aria-disabled])"));
    await armed.waitFor();
    await visitor.picture("high-risk");
    await armed.click();
    await page.getByText("You approved").first().waitFor();

    await visitor.open("Refund 2,400 EUR");
    await visitor.heading("Refund 2,400 EUR").waitFor();
    await visitor.button("Approve: refund").click();
    const field = panel.getByRole("textbox", { name: "Type 2,400 to approve" });
    await field.fill("240");
    await field.press("Enter");
    expect(await approve.getAttribute("aria-disabled")).toBe("true");
    expect(await site.harness.onlyPending()).toMatchObject({ input: { amount: 2400 } });
    await field.fill("2400");
    await approve.and(page.locator(":not([aria-disabled])")).waitFor();
    await visitor.picture("critical-risk");
    await field.press("Enter");
    await site.harness.ended(runId);
    expect(site.effects).toHaveLength(2);
  });
});
