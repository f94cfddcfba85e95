import { createTool } from "@inngest/agent-kit";
import type { Locator } from "playwright-core";
import { expect, it } from "vitest";
import { z } from "zod";
import { inTurns } from "../support/desk-tools.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefundDesk, refundPolicy, refundsOf } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import { openSite } from "../support/inbox/site.js";

const terms = { decisions: ["approve", "edit", "deny"], editable: ["amount"] } satisfies Parameters<
  typeof openRefundDesk
>[0];

describeInBrowser("editing in the inbox", (visit) => {
  const desk = shared(() => openRefundDesk(terms));

  it("explains an invalid value, keeps the draft, lists the changes, and runs the edited call", async () => {
    const site = await desk();
    const { runId } = await site.ask(80);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open("Refund 80 EUR");
    await visitor.button("Approve: refund").waitFor();
    await page.keyboard.press("e");
    const amount = page.getByRole("textbox", { name: "amount" });
    await amount.fill("half of it");
    const problem = page.locator(".cs-field .cs-problem");
    await problem.waitFor();
    expect(await amount.getAttribute("aria-invalid")).toBe("true");
    await visitor.picture("edit-invalid");

    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("region", { name: "History" }).waitFor();
    await page.getByRole("link", { name: /^Pending/ }).click();
    await visitor.open("Refund 80 EUR");
    expect(await amount.inputValue()).toBe("half of it");

    await amount.fill("50");
    await problem.waitFor({ state: "hidden" });
    const changes = page.getByRole("list", { name: "Changes" });
    expect(await changes.textContent()).toMatch(/amount[\s\S]*80[\s\S]*50/);
    const approve = visitor.button("Approve with 1 change").and(page.locator(":not([aria-disabled])"));
    await approve.waitFor();
    await visitor.picture("edit");
    await approve.click();
    await page.getByText("You approved with 1 change").first().waitFor();
    await visitor.heading(/^Refund 50 EUR for order A-1/).waitFor();
    await page.locator("header").getByText("requested: 80").waitFor();
    const final = page.locator(".cs-arguments .cs-field").filter({ hasText: "amount" });
    expect(await final.locator("del .cs-number").textContent()).toBe("80");
    expect(await final.locator("ins .cs-number").textContent()).toBe("50");
    await site.harness.ended(runId);
    await page.getByRole("link", { name: "History" }).click();
    const decided = page.getByRole("region", { name: "History" }).locator(".cs-row");
    await decided.filter({ hasText: "Refund 50 EUR" }).getByText("requested: 80").waitFor();
    expect(site.effects).toEqual([{ tool: "refund", input: { id: "A-1", amount: 50 } }]);
  });

  it("shows the number that will be sent, warns if it is of another magnitude, and keeps it when somebody else decides", async () => {
    const site = await desk();
    await site.ask(1200);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open("Refund 1,200 EUR");
    await visitor.button("Edit").click();
    const amount = page.getByRole("textbox", { name: "amount" });
    await amount.fill("12,5");
    await page.getByText("Enter a number, such as 12.50").waitFor();

    await amount.fill("1.200");
    const notes = page.locator(".cs-number-notes");
    await notes.getByText("1,000 times less than 1,200").waitFor();
    expect(await notes.textContent()).toBe("1.20: 1,000 times less than 1,200");
    expect(await amount.getAttribute("aria-describedby")).toBe(await notes.getAttribute("id"));
    await visitor.picture("edit-magnitude");

    await amount.fill("1,100.5");
    await notes.getByText("1,100.50", { exact: true }).waitFor();
    expect(await notes.textContent()).toBe("1,100.50");
    await visitor.button("Approve with 1 change").and(page.locator(":not([aria-disabled])")).waitFor();

    // What the reader has changed stays in view when somebody else decides first.
    await site.harness.decide(await site.harness.onlyPending(), "approve", "lead");
    await page.getByText("Already decided by lead").first().waitFor();
    await page.getByText("Your changes were not applied:").waitFor();
    expect(await page.getByRole("list", { name: "Changes" }).first().textContent()).toContain("1,100.50");
    await visitor.picture("edit-not-used");
  });

  it("shows the description of an argument on demand, and below its name while it is edited", async () => {
    const description = "In EUR, such as 49.90";
    const refund = createTool({
      name: "refund",
      parameters: z.object({ id: z.string(), amount: z.number().describe(description) }),
      handler: () => "done",
    });
    await using site = await openSite({
      tools: [refund],
      policy: refundPolicy(terms),
      reply: inTurns(refundsOf(80)),
    });
    await site.harness.say("Please refund it.");
    await site.harness.onlyPending();
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open("Refund 80 EUR");
    const row = page.locator(".cs-field").filter({ hasText: "amount" });
    const about = row.getByRole("button", { name: "About amount" });
    await about.waitFor();
    const isNamed = (of: Locator) =>
      of.evaluate((element) => {
        const id = element.getAttribute("aria-describedby");
        return id === null ? null : element.ownerDocument.getElementById(id)?.textContent;
      });
    expect(await isNamed(about)).toBe(description);
    const size = await about.boundingBox();
    expect([size?.width, size?.height]).toEqual([24, 24]);
    const height = async () => (await row.boundingBox())?.height;
    const other = await page.locator(".cs-field").filter({ hasText: "A-1" }).boundingBox();
    expect(await height()).toBe(other?.height);
    const popup = page.locator(".cs-tooltip");
    await about.hover();
    await popup.getByText(description).waitFor();
    expect(await height()).toBe(other?.height);
    expect(await violations(page)).toEqual([]);
    await visitor.picture("argument-description");
    await page.mouse.move(0, 0);
    await popup.waitFor({ state: "hidden" });
    await page.keyboard.press("e");
    const field = row.getByRole("textbox", { name: "amount" });
    expect(await isNamed(field)).toBe(description);
    expect((await row.locator("small").boundingBox())?.width).toBeGreaterThan(50);
    await page.keyboard.press("Escape");
    await about.focus();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    await popup.getByText(description).waitFor();
    await page.keyboard.press("Escape");
    await popup.waitFor({ state: "hidden" });
  });
});
