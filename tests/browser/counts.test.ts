import { expect, it } from "vitest";
import { hostileCount, lines, recordedCalls, recordedSum } from "../support/counts.js";
import { figure } from "../support/figure.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { shared } from "../support/inbox/shared.js";
import { openSite } from "../support/inbox/site.js";
import { scrollsSidewaysOnPhone } from "../support/inbox/visitor.js";
import { proposeCall } from "../support/proposals.js";

const input = { id: "A-1", amount: 480, customerId: "ada" };

describeInBrowser("a call that limits over time counted", (visit) => {
  const open = shared(openSite);

  async function look(terms: NonNullable<Parameters<typeof proposeCall>[1]>["terms"]) {
    const site = await open();
    const approvers = { roles: ["finance"], ids: [] };
    const [approval] = await proposeCall(site.harness.store, {
      ...{ approvers, risk: "low", input },
      terms: { ...terms },
    });
    const visitor = await visit(site, { as: "finance", path: `/approvals/${approval?.id}` });
    await visitor.heading("Limit").waitFor();
    return { visitor, page: visitor.page, section: visitor.page.locator(".cs-counts") };
  }

  it("shows each count, says below the sentence which is over its limit, and that they are of the original values while these are edited", async () => {
    const counts = [recordedCalls, recordedSum, hostileCount];
    const { visitor, page, section } = await look({
      ...{ counts, editable: ["amount"] },
      decisions: ["approve", "edit", "deny"],
    });
    await using _visitor = visitor;
    const rows = section.getByRole("listitem");
    expect((await rows.allInnerTexts()).map((text) => text.trim())).toEqual([
      lines.calls,
      lines.sum,
      lines.hostile,
    ]);
    expect(await page.locator(".cs-deciding li").allInnerTexts()).toEqual([lines.sum]);
    const widths = await section
      .locator(".cs-limit-bar > span")
      .evaluateAll((bars) =>
        bars.map((bar) => (bar as unknown as { style: { inlineSize: string } }).style.inlineSize),
      );
    expect(widths).toEqual(["30%", "100%"]);
    expect(await scrollsSidewaysOnPhone(page)).toBe(false);
    expect(await violations(page)).toEqual([]);
    await section.scrollIntoViewIfNeeded();
    await visitor.picture("counts");

    await page.getByText(/^Checked again just before it runs\./).waitFor();
    await page.keyboard.press("e");
    await page.getByText(/^For the original values\. Checked again/).waitFor();
  });

  it("shows no sum of a hidden amount", async () => {
    const { visitor, page, section } = await look({ counts: [recordedSum], redact: ["amount"] });
    await using _visitor = visitor;
    await section.getByText(lines.hiddenSum).waitFor();
    expect(await section.locator(".cs-limit-bar").count()).toBe(0);
    expect(await page.locator(".cs-deciding").count()).toBe(0);
    expect(await page.content()).not.toMatch(figure("2,?340"));
  });
});
