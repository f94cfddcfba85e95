import { expect, it } from "vitest";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { openRefunds } from "../support/inbox/refunds.js";
import { shared } from "../support/inbox/shared.js";
import { openSite } from "../support/inbox/site.js";
import { scrollsSideways } from "../support/inbox/visitor.js";
import { proposeCall } from "../support/proposals.js";

/** What of the rows' contents does not fit into its box. */
const cutInRows = `[...document.querySelectorAll(".cs-row-sentence, .cs-row-source, .cs-row-meta, .cs-row-link")]
  .filter((box) => box.scrollHeight > box.clientHeight || box.scrollWidth > box.clientWidth)
  .map((box) => box.className + ": " + box.textContent)`;

describeInBrowser("the inbox in a small window", (visit) => {
  const desk = shared(() =>
    openRefunds([80, 1250.5], {
      decisions: ["approve", "edit", "deny"],
      editable: ["amount"],
      grantable: ["thread"],
    }),
  );

  it("leaves at least half of the window to the call, with its decision in reach, at 1440 × 900 and 400 %", async () => {
    await using visitor = await visit(await desk(), { as: "finance", viewport: { width: 360, height: 225 } });
    const { page } = visitor;
    await visitor.open("Refund 80 EUR");
    await visitor.ready();
    const shown = await page.evaluate(`(() => {
      const call = document.querySelector("article");
      call.scrollIntoView();
      const { top } = document.querySelector(".cs-decision-bar").getBoundingClientRect();
      return (Math.min(top, innerHeight) - Math.max(0, call.getBoundingClientRect().top)) / innerHeight;
    })()`);
    expect(shown).toBeGreaterThanOrEqual(0.5);
    for (const name of ["Approve: refund", "Deny", "Allow again without asking"]) {
      const box = await visitor.button(name).boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(225);
    }
  });

  it.each([
    { name: "a phone", viewport: { width: 390, height: 844 }, hasTouch: true },
    { name: "the column of a wide window", viewport: { width: 1440, height: 900 } },
  ])(
    "shows whole sentences, the time at the right below them, and each requester once in a row: $name",
    async (screen) => {
      const { name, ...options } = screen;
      await using site = await openSite();
      const propose = (requesterId: string, order: string, more = "", risk: "medium" | "high" = "medium") => {
        const input = { amount: "49.90", id: order };
        const parts = [
          { text: "Refund " },
          { value: input.amount, path: "amount" },
          { text: " EUR for order " },
          { value: order, path: "id" },
          { text: more },
        ];
        const summary = `Refund 49.90 EUR for order ${order}${more}`;
        const call = { requesterId, threadId: order, input, summary, risk, terms: { summaryParts: parts } };
        return proposeCall(site.harness.store, call);
      };
      await propose("requester", "A-1005");
      await propose("requester", "A-1006", " to the card ending 4242", "high");
      await propose("guest-of-the-shop", "A-1007");
      await using visitor = await visit(site, { as: "finance", ...options });
      const { page } = visitor;
      await visitor.rows().nth(2).waitFor();
      await page.locator(".cs-countdown").nth(2).waitFor();
      await visitor.picture(`rows-${name.replaceAll(" ", "-")}`);
      expect(await page.evaluate(cutInRows)).toEqual([]);
      const requesters = await page.locator(".cs-row-source").allTextContents();
      expect(requesters.filter(Boolean).sort()).toEqual(["guest-of-the-shop", "requester"]);
      for (const row of await visitor.rows().all()) {
        const [whole, sentence, time] = await Promise.all(
          [row, row.locator(".cs-row-sentence"), row.locator(".cs-countdown")].map((part) =>
            part.boundingBox(),
          ),
        );
        if (!whole || !sentence || !time) throw new Error("a part of a row is missing");
        expect(time.y).toBeGreaterThanOrEqual(sentence.y + sentence.height);
        expect(whole.x + whole.width - (time.x + time.width)).toBeLessThanOrEqual(16);
        expect(time.y + time.height).toBeLessThanOrEqual(whole.y + whole.height);
      }
    },
  );

  it.each([
    { name: "a small phone", width: 320, height: 568, deviceScaleFactor: 2, hasTouch: true },
    // A window of 1280 × 800 whose reader has enlarged the page to 200 %.
    { name: "200 % zoom", width: 640, height: 400, deviceScaleFactor: 2 },
  ] as const)("scrolls only vertically, and keeps its buttons in reach: $name", async (screen) => {
    const { name, width, height, ...rest } = screen;
    const file = name.replaceAll(/\W+/g, "-");
    await using visitor = await visit(await desk(), { as: "finance", viewport: { width, height }, ...rest });
    const { page } = visitor;
    await visitor.rows().first().waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    await visitor.picture(`${file}-list`);

    await visitor.open("Refund 80 EUR");
    const inReach = async (button: string) => {
      const box = await visitor.button(button).boundingBox();
      if (!box) throw new Error(`${button} is not shown`);
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
      // A finger needs 44 px; a mouse needs less.
      if ("hasTouch" in screen) expect(box.height).toBeGreaterThanOrEqual(44);
    };
    await visitor.heading("What the agent said").waitFor();
    for (const button of ["Approve: refund", "Deny", "Allow again without asking"]) await inReach(button);
    expect(await scrollsSideways(page)).toBe(false);
    await visitor.picture(`${file}-detail`);

    await visitor.button("Edit").click();
    await page.getByRole("textbox", { name: "amount" }).fill("50");
    await visitor.button("Approve with 1 change").waitFor();
    await inReach("Approve with 1 change");
    await visitor.button("Deny").click();
    await page.getByRole("textbox", { name: /Reason/ }).waitFor();
    await inReach("Cancel");
    // The buttons below the text field do not cover it.
    const reason = await page.getByRole("textbox", { name: /Reason/ }).boundingBox();
    const cancel = await visitor.button("Cancel").boundingBox();
    expect((reason?.y ?? 0) + (reason?.height ?? 0)).toBeLessThanOrEqual(cancel?.y ?? 0);
    expect(await scrollsSideways(page)).toBe(false);
    await visitor.picture(`${file}-deny`);
    await visitor.button("Cancel").click();

    await page.getByText("Audit trail").click();
    await page.getByRole("button", { name: "Verified" }).scrollIntoViewIfNeeded();
    expect(await scrollsSideways(page)).toBe(false);
    await page.getByRole("link", { name: "Back to list" }).click();
    await visitor.rows().first().waitFor();
    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("region", { name: "History" }).waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    await visitor.openMore("Standing permissions");
    await page.getByRole("heading", { name: "Standing permissions", level: 1 }).waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    await visitor.picture(`${file}-grants`);
  });
});
