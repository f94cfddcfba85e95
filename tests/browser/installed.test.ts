import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";

/** Notes the badge that an installed page would have. */
const noteBadge = `Navigator.prototype.setAppBadge = async (count) => { globalThis.badge = count; };`;

describeInBrowser("the installed inbox", (visit) => {
  it("has a manifest that the browser accepts, and nobody else's pages in its scope, and a badge", async () => {
    await using site = await openRefunds([80, 90]);
    await using visitor = await visit(site, { as: "finance", before: noteBadge, expected: /401/ });
    const { page } = visitor;
    // A host may serve it only to its users.
    expect(await page.locator("link[rel=manifest]").getAttribute("crossorigin")).toBe("use-credentials");
    const session = await visitor.context.newCDPSession(page);
    const { url, data, errors } = await session.send("Page.getAppManifest");
    expect(errors).toEqual([]);
    expect(url).toBe(`${site.url}/manifest.webmanifest`);
    const manifest = JSON.parse(data ?? "");
    expect(manifest).toMatchObject({ start_url: "/inbox/", scope: "/inbox/", display: "standalone" });
    for (const { src } of manifest.icons) {
      expect((await fetch(new URL(src, site.url))).status).toBe(200);
    }
    expect(manifest.icons).toHaveLength(1);

    // The true count is its badge, and there is none once the person has signed out.
    const badge = () => page.evaluate("globalThis.badge");
    await expect.poll(badge).toBe(2);
    const [call] = await site.harness.pending(2);
    if (!call) throw new Error("unreachable");
    await site.harness.decide(call, "deny", "lead");
    await expect.poll(badge).toBe(1);
    await visitor.button(/menu$/).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await expect.poll(badge).toBe(0);
  });
});
