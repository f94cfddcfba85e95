import { expect, it } from "vitest";
import { inTurns } from "../support/desk-tools.js";
import { violations } from "../support/inbox/accessibility.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { refundPolicy, refundsOf } from "../support/inbox/refunds.js";
import { openSite } from "../support/inbox/site.js";

describeInBrowser("the history of a call", (visit) => {
  it("says what people decided about calls like it, what is unusual, and leads from each number to those calls", async () => {
    await using site = await openSite({
      policy: refundPolicy(),
      reply: inTurns(refundsOf(10, 20, 30, 9_000), refundsOf(160, 170)),
    });
    const { harness } = site;
    const { runId } = await harness.say("Please refund them.");
    for (const call of await harness.pending(4)) {
      const { amount } = call.input as { amount: number };
      await harness.decide(call, amount === 9_000 ? "deny" : "approve", "lead");
    }
    const [first, second] = await harness.pending(2);
    await using visitor = await visit(site, { as: "finance" });
    const { page } = visitor;
    const sentences = page.getByRole("list", { name: "Decided approvals" }).locator(".cs-row-sentence");
    const shows = async (...amounts: string[]) => {
      await expect.poll(() => sentences.allTextContents(), { timeout: 60_000 }).toHaveLength(amounts.length);
      const found = await sentences.allTextContents();
      expect(found.map((text) => text.split(" ")[1]).sort()).toEqual(amounts);
    };
    const chip = (name: string) => page.getByRole("button", { name: `Remove filter: ${name}` });

    await visitor.open("Refund 160 EUR");
    const line = page.locator(".cs-history");
    await line.getByText("4 other requests for requester in 30 days").waitFor();
    const parts = await line.locator(".cs-history-part").allTextContents();
    expect(parts.slice(1)).toEqual(["3 approved", "1 denied"]);
    expect(await page.locator(".cs-deciding li").allInnerTexts()).toEqual(["8 × the usual amount of 20"]);
    expect(await violations(page)).toEqual([]);
    await visitor.picture("call-history");

    await page.getByRole("link", { name: "1 denied" }).click();
    await shows("9,000");
    await expect
      .poll(() => page.title())
      .toContain("History: Tool refund · For requester · Denied by a person");
    expect(await violations(page)).toEqual([]);
    await visitor.picture("history-of-like-calls");
    await page.goBack();
    await page.getByRole("link", { name: "3 approved" }).click();
    await shows("10", "20", "30");
    await page.goBack();
    await page.getByRole("link", { name: "4 other requests" }).click();
    await shows("10", "20", "30", "9,000");

    // The same from the address, and without a filter more.
    await page.reload();
    await shows("10", "20", "30", "9,000");
    await chip("Decided by a person").click();
    await chip("Within 30 days").click();
    await chip("For requester").click();
    // The focus moves on with the filters.
    await chip("Before one request").and(page.locator(":focus")).waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toMatch(/^tool:refund before:apr_/);
    await page.getByRole("button", { name: "Denied", exact: true }).click();
    await shows("9,000");
    await sentences.first().click();
    await visitor.heading("Refund 9,000 EUR").waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toContain("is:denied");

    // From a call that is decided itself, the link does not lead back to it.
    for (const call of [first, second]) if (call) await harness.decide(call, "approve", "lead");
    await harness.ended(runId);
    await page.goto(`${site.url}/history/${first?.id}`);
    const approved = page.locator(".cs-history").getByRole("link", { name: "approved" });
    const count = Number.parseInt((await approved.textContent()) ?? "", 10);
    await approved.click();
    await shows(...["10", "170", "20", "30"].filter((amount) => count === 4 || amount !== "170"));
  });

  it("has a search field that shows its whole hint, and a page for addresses that do not exist", async () => {
    await using site = await openSite();
    await using visitor = await visit(site, { as: "finance", path: "/history" });
    const { page } = visitor;
    await page.getByRole("searchbox", { name: "Search history" }).waitFor();
    for (const width of [1440, 320]) {
      await page.setViewportSize({ width, height: 900 });
      const room = await page.evaluate(`{
        const input = document.querySelector(".cs-search input");
        const style = getComputedStyle(input);
        const pen = document.createElement("canvas").getContext("2d");
        pen.font = style.font;
        const inner = input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        inner - pen.measureText(input.placeholder).width;
      }`);
      // The button that empties the field takes some of it, and other fonts are wider.
      expect(room).toBeGreaterThan(40);
    }
    await page.goto(`${site.url}/grant`);
    await visitor.heading("Nothing here").waitFor();
    expect(await page.title()).toContain("Nothing here");
    expect(await page.locator("nav [aria-current]").count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("link", { name: "Go to the approvals" }).click();
    await page.getByRole("heading", { name: "Nothing left to decide" }).waitFor();
  });
});
