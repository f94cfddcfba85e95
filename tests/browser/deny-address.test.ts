import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";

describeInBrowser("an address with ?deny", (visit) => {
  it("opens the denial of that call alone, and denies nothing", async () => {
    await using site = await openRefunds([80, 90]);
    const [first, second] = await site.harness.pending(2);
    await using visitor = await visit(site, { as: "finance", path: `/approvals/${first?.id}?deny` });
    const { page } = visitor;
    const denial = page.getByRole("form", { name: "Deny" });
    await denial.waitFor();
    expect(new URL(page.url()).search).toBe("");
    expect(await site.harness.pending(2)).toHaveLength(2);
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await expect.poll(() => page.url()).toContain(second?.id);
    await visitor.ready();
    expect(await denial.count()).toBe(0);
  });
});
