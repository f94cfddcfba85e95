import { afterAll, beforeAll, expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";
import type { Site } from "../support/inbox/site.js";

describeInBrowser("the inbox, where the gallery does not look,", (visit) => {
  let site: Site;
  beforeAll(async () => {
    site = await openRefunds([80, 90, 2400], {
      decisions: ["approve", "edit", "deny"],
      editable: ["amount"],
      grantable: ["thread"],
      risk: "high",
    });
    const decided = (await site.harness.pending(3)).find(({ summary }) => summary.includes("2,400"));
    if (!decided) throw new Error("unreachable");
    const [grant] = (await site.harness.approval(decided.id)).grantSuggestions ?? [];
    const { status } = await site.harness.call("finance", `/approvals/${decided.id}/decision`, {
      method: "POST",
      body: { type: "approve", digest: decided.digest, grant: grant?.grant },
    });
    expect(status).toBe(200);
    await site.harness.pending(2);
  });
  afterAll(() => site?.[Symbol.asyncDispose]());

  it("has no accessibility violations in a conversation, the reasons, a grant and a field with a problem", async () => {
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    await visitor.open("Refund 80 EUR");
    await visitor.heading("What the agent said").waitFor();
    await page.getByText(/^Conversation \(\d+ messages?\)$/).click();
    expect(await violations(page)).toEqual([]);
    await visitor.picture("conversation");

    await visitor.button("Deny").click();
    await visitor.button("Edit reasons").click();
    await page.getByRole("dialog", { name: "Denial reasons" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await visitor.button("Cancel").click();

    await visitor.button("Allow again without asking").click();
    await page.getByRole("menuitem").first().click();
    await page.getByRole("form", { name: "Approve" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await visitor.picture("grant");
    await visitor.button("Cancel").click();

    await visitor.button("Edit").click();
    await page.getByRole("textbox", { name: "amount" }).fill("none");
    await page.locator(".cs-problem").first().waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("has none in the person's menu, the words about an audit trail, the grants and the question about one", async () => {
    await using visitor = await visit(site, { as: "finance", path: "/history" });
    const { page } = visitor;
    await visitor.button(/menu$/).click();
    await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    for (const [name, choice] of [
      ["Theme", "Dark"],
      ["Language", "Deutsch"],
    ] as const) {
      // The heading is on the screen, and names the group.
      await page.locator(".cs-menu").getByText(name, { exact: true }).waitFor();
      await page.getByRole("group", { name }).getByRole("menuitemradio", { name: choice }).waitFor();
    }
    expect(await violations(page)).toEqual([]);
    await visitor.picture("menu");
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "hidden" });

    await page.getByRole("link", { name: /Refund 2,400 EUR/ }).click();
    await page.getByText("Audit trail").click();
    await visitor.button(/^Verified/).click();
    await page.getByRole("dialog").waitFor();
    expect(await violations(page)).toEqual([]);
    await visitor.picture("audit-trail");
    await page.keyboard.press("Escape");

    await visitor.openMore("Standing permissions");
    const revoke = visitor.button("Revoke");
    await revoke.waitFor();
    expect(await violations(page)).toEqual([]);
    await visitor.picture("grants");
    await revoke.click();
    await page.getByRole("alertdialog").waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
