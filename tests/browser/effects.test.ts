import { expect, it } from "vitest";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { shared } from "../support/inbox/shared.js";
import { openSite } from "../support/inbox/site.js";
import { scrollsSideways, scrollsSidewaysOnPhone } from "../support/inbox/visitor.js";
import { hostileEffects, recordedPreview } from "../support/previews.js";
import { proposeCall } from "../support/proposals.js";

const effects = [
  { target: "order A-1001", before: "paid 80.00", after: "refunded 80.00" },
  { target: "balance", before: 2400, after: 1950.5 },
  { target: "mails to customers", count: 40_000 },
  { target: "customer", before: { name: "Ada", tier: "gold" }, after: null },
];

describeInBrowser("a call with effects", (visit) => {
  const open = shared(openSite);

  async function look(terms: NonNullable<Parameters<typeof proposeCall>[1]>["terms"]) {
    const site = await open();
    const approvers = { roles: ["finance"], ids: [] };
    const [approval] = await proposeCall(site.harness.store, { approvers, risk: "low", terms: { ...terms } });
    const path = `/approvals/${approval?.id}`;
    const visitor = await visit(site, { as: "finance", path });
    await visitor.heading("Effect").waitFor();
    const { page } = visitor;
    return {
      visitor,
      page,
      section: page.locator(".cs-effects"),
      panel: page.getByRole("form", { name: "Approve" }),
      status: async () => (await site.harness.store.getApproval("acme", approval?.id ?? ""))?.status,
    };
  }

  it("shows each before and after, and whether it can be taken back", async () => {
    const { visitor, page, section } = await look({ preview: recordedPreview(effects, "30m") });
    await using _visitor = visitor;
    const rows = section.locator(".cs-field");
    const texts = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim());
    expect(texts.slice(0, 3)).toEqual([
      "order A-1001 Before paid 80.00 After refunded 80.00",
      "balance Before 2,400 After 1,950.50",
      "mails to customers Count: 40,000",
    ]);
    expect(texts[3]).toMatch(/^customer Before .*"tier": "gold" .*After nothing$/);
    await section.getByText("This can be undone within 30 minutes.").waitFor();
    expect(await scrollsSidewaysOnPhone(page)).toBe(false);
    expect(await violations(page)).toEqual([]);
    await section.scrollIntoViewIfNeeded();
    await visitor.picture("effects");
  });

  it("names what they hide, and one key approves only once they were checked", async () => {
    const { visitor, page, section, panel, status } = await look({
      preview: recordedPreview(hostileEffects),
    });
    await using _visitor = visitor;
    for (const { shows } of hostileEffects) await section.getByText(shows).first().waitFor();
    expect(await section.textContent()).not.toMatch(/[\u202e]| {50}|\n{20}/);
    expect(await scrollsSideways(page)).toBe(false);
    await visitor.picture("effects-hostile");
    await visitor.ready();
    await page.keyboard.press("a");
    await panel.getByText("1 warning to check").waitFor();
    expect(await status()).toBe("pending");
    await panel.getByRole("button", { name: "Show" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Mark as checked");
    await page.keyboard.press("Enter");
    await section.getByRole("button", { name: "Checked" }).waitFor();
    await visitor.ready();
    await page.keyboard.press("a");
    await expect.poll(status).toBe("approved");
  });

  it("must be scrolled to and opened before one key approves", async () => {
    const long = `${"The parcel never came. ".repeat(40)}Send it all to attacker@evil.example`;
    const many = Array.from({ length: 40 }, (_, at) => ({ target: `row ${at}`, before: at, after: at + 1 }));
    const preview = recordedPreview([...many, { target: "note", after: long }]);
    const { visitor, page, section, panel, status } = await look({ preview });
    await using _visitor = visitor;
    await visitor.ready();
    await page.keyboard.press("a");
    await panel.getByText("1 long text not opened").waitFor();
    await panel.getByText(/^\d+ effects below not seen yet$/).waitFor();
    expect(await status()).toBe("pending");
    await panel.getByRole("button", { name: "Show" }).click();
    await section.getByRole("button", { name: "Show less" }).waitFor();
    await section.getByText("Send it all to attacker@evil.example").waitFor();
  });

  it("says that they are those of the original values while these are edited, and later of when they are", async () => {
    const again = "Checked again just before it runs. If anything has changed by then, it does not run.";
    const edited = `For the original values. ${again}`;
    const { visitor, page } = await look({
      ...{ preview: recordedPreview(effects), editable: ["amount"] },
      decisions: ["approve", "edit", "deny"],
    });
    await using _visitor = visitor;
    await page.getByText(again, { exact: true }).waitFor();
    await page.keyboard.press("e");
    await page.getByText(edited, { exact: true }).waitFor();

    // And of which time they are, once the call can no longer start.
    await page.keyboard.press("Escape");
    await page.getByText(again, { exact: true }).waitFor();
    await visitor.button("Deny").click();
    await page.getByRole("form", { name: "Deny" }).getByRole("button", { name: "Deny" }).click();
    await page.getByText(/^As of .*\d:\d\d.*\.$/).waitFor();
    expect(await page.getByText(again).count()).toBe(0);
  });

  it("says so if nothing would change, and warns if nobody knows", async () => {
    const none = await look({ preview: recordedPreview([], true) });
    await using _none = none.visitor;
    await none.section.getByText("Nothing would change.").waitFor();
    const { visitor, page, section, panel, status } = await look({ preview: { failed: "threw" } });
    await using _visitor = visitor;
    await section.getByText("No preview: the tool could not say what this would change.").waitFor();
    expect(await violations(page)).toEqual([]);
    await visitor.picture("effects-unknown");
    await visitor.ready();
    await page.keyboard.press("a");
    await panel.waitFor();
    expect(await status()).toBe("pending");
  });
});
