import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";
import { openSite, type Site } from "../support/inbox/site.js";

describeInBrowser("the inbox", (visit) => {
  let site: Site;
  let emptySite: Site;
  beforeAll(async () => {
    emptySite = await openSite();
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
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
    await emptySite?.[Symbol.asyncDispose]();
  });

  describe.each(["light", "dark"] as const)("in %s colours", (colorScheme) => {
    it("has no accessibility violations on the sign-in page and in an empty list", async () => {
      await using stranger = await visit(emptySite, { colorScheme, expected: /401/ });
      await stranger.heading("Approvals").waitFor();
      expect(await violations(stranger.page)).toEqual([]);
      await using visitor = await visit(emptySite, { colorScheme, as: "finance" });
      await visitor.heading("Nothing left to decide").waitFor();
      expect(await violations(visitor.page)).toEqual([]);
      await visitor.picture(`nothing-pending-${colorScheme}`);
    });

    it("has no accessibility violations in the list, an approval and the forms that decide it", async () => {
      await using visitor = await visit(site, { colorScheme, as: "finance" });
      const { page } = visitor;
      await visitor.rows().first().waitFor();
      expect(await violations(page)).toEqual([]);
      await visitor.open("Refund 80 EUR");
      await visitor.heading("What the agent said").waitFor();
      await page.getByText(/^Conversation \(\d+ messages?\)$/).click();
      expect(await violations(page)).toEqual([]);
      await visitor.picture(`wide-${colorScheme}`);

      await visitor.button("Deny").click();
      await page.getByRole("form", { name: "Deny" }).waitFor();
      expect(await violations(page)).toEqual([]);
      await visitor.button("Edit reasons").click();
      await page.getByRole("dialog", { name: "Denial reasons" }).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await visitor.button("Cancel").click();

      await visitor.button("Allow for a while").click();
      const offer = page.getByRole("menuitem").first();
      await offer.waitFor();
      expect(await violations(page)).toEqual([]);
      await offer.click();
      await page.getByRole("form", { name: "Approve" }).waitFor();
      expect(await violations(page)).toEqual([]);
      await visitor.picture(`grant-${colorScheme}`);
      await visitor.button("Cancel").click();

      await visitor.button("Edit").click();
      await page.getByRole("textbox", { name: "amount" }).fill("none");
      await page.locator(".cs-problem").first().waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole("textbox", { name: "amount" }).fill("50");
      await page.getByRole("list", { name: "Changes" }).waitFor();
      expect(await violations(page)).toEqual([]);
    });

    it("has no accessibility violations in its dialogs and in the person's menu", async () => {
      await using visitor = await visit(site, { colorScheme, as: "finance" });
      const { page } = visitor;
      await visitor.rows().first().waitFor();
      await page.keyboard.press("?");
      const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      await shortcuts.waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await shortcuts.waitFor({ state: "hidden" });

      await page.keyboard.press("Control+k");
      const commands = page.getByRole("dialog", { name: "Commands" });
      await commands.getByRole("option").first().waitFor();
      expect(await violations(page)).toEqual([]);
      await visitor.picture(`commands-${colorScheme}`);
      await page.keyboard.press("Escape");
      await commands.waitFor({ state: "hidden" });

      await visitor.button(/menu$/).click();
      await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
      expect(await violations(page)).toEqual([]);
      await visitor.picture(`menu-${colorScheme}`);
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "hidden" });

      await visitor.rows().first().getByRole("checkbox").click();
      await visitor.button("Review together").click();
      await page.getByRole("dialog").waitFor();
      expect(await violations(page)).toEqual([]);
    });

    it("has no accessibility violations in the history, an audit trail and the grants", async () => {
      await using visitor = await visit(site, { colorScheme, as: "finance", path: "/history" });
      const { page } = visitor;
      await page.getByRole("link", { name: /Refund 2,400 EUR/ }).click();
      await page.getByText("Audit trail").click();
      await visitor.button(/^Verified/).click();
      await page.getByRole("dialog").waitFor();
      expect(await violations(page)).toEqual([]);
      await visitor.picture(`audit-trail-${colorScheme}`);
      await page.keyboard.press("Escape");

      await page.getByRole("link", { name: "Grants" }).click();
      const revoke = visitor.button("Revoke");
      await revoke.waitFor();
      expect(await violations(page)).toEqual([]);
      await visitor.picture(`grants-${colorScheme}`);
      await revoke.click();
      await page.getByRole("alertdialog").waitFor();
      expect(await violations(page)).toEqual([]);
    });
  });
});
