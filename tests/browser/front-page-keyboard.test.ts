import { expect, it } from "vitest";
import { openDemo } from "../support/demo/demo-in-process.js";
import { sidesOf, siteOf } from "../support/demo/front-page.js";
import { commandKeys, keysActing } from "../support/inbox/behind.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";
import { holdBack } from "../support/inbox/hold-back.js";
import { shared } from "../support/inbox/shared.js";
import { moveClockUntilReady, stoppedClock } from "../support/inbox/stopped-clock.js";
import { scrollsSideways } from "../support/inbox/visitor.js";

describeInBrowser("the demo's front page, by keyboard and in small windows", (visit) => {
  const shop = shared(openDemo);

  it("works by keyboard alone, and says what happens", async () => {
    const demo = await shop();
    await using visitor = await visit(siteOf(demo));
    const { page } = visitor;
    const { chat, card, call, ready } = sidesOf(visitor);
    const decision = card(/A-1001/);
    const proposed = call(/A-1001/);
    const { keyboard } = page;
    const focused = () =>
      page.evaluate(
        "document.activeElement.matches('button') ? document.activeElement.textContent : ''",
      ) as Promise<string>;
    for (let at = 0; at < 6 && !(await focused()).startsWith("Please refund order A-1001"); at++) {
      await keyboard.press("Tab");
    }
    await keyboard.press("Enter");
    await proposed.getByText("Waiting for a person.").waitFor();
    await chat
      .getByRole("status")
      .getByText(/Refund 49.90 EUR for order A-1001. Waiting for a person/)
      .waitFor();
    // A single letter in the chat's field decides nothing.
    await keyboard.press("a");
    expect(await chat.getByRole("textbox").inputValue()).toBe("a");
    await decision.waitFor();
    for (let at = 0; at < 12 && (await focused()) !== "Go to the decision"; at++) {
      await keyboard.press("Shift+Tab");
    }
    await keyboard.press("Enter");
    await expect.poll(() => decision.evaluate((element) => element.matches(":focus"))).toBe(true);
    await ready(/A-1001/);
    await keyboard.press("a");
    await chat
      .getByRole("status")
      .getByText(/The agent says: Order A-1001 is refunded/)
      .waitFor();
    expect(await demo.effects()).toHaveLength(1);
    expect(await decision.evaluate((element) => element.matches(":focus, :focus-within"))).toBe(true);
  });

  it("takes a key only for the card that has the focus, and gives the second click of a double click to no other", async () => {
    const demo = await shop();
    await using visitor = await visit(siteOf(demo));
    const { card, call, folded, send, ready } = sidesOf(visitor);
    const first = card(/A-1001/);
    const second = card(/A-1002/);
    const third = card(/A-1003/);
    const firstLine = folded(/A-1001/);
    await send("Refund A-1001, A-1002 and A-1003");
    await first.waitFor();
    const proposed = call(/A-1003/);
    await proposed.getByRole("button", { name: "Go to the decision" }).click();
    await expect.poll(() => third.evaluate((element) => element.matches(":focus"))).toBe(true);
    await ready(/A-1003/);
    await visitor.page.keyboard.press("a");
    // The calls of one answer run when all of them are decided.
    await proposed.getByText("Finance approved. It runs when the agent goes on.").waitFor();
    for (const order of [/A-1001/, /A-1002/]) {
      await call(order).getByText("Waiting for a person.").waitFor();
      // Who has not seen a card cannot decide about it.
      await card(order).evaluate((other) => other.scrollIntoView({ block: "end" }));
      await ready(order);
    }
    // The other card may move under the pointer when the first is decided: this click comes at the same moment.
    await visitor.page.evaluate(`{
      const other = [...document.querySelectorAll(".cs-card")].find(({ textContent }) => textContent.includes("A-1002"));
      const button = other.querySelector(".cs-button[data-tone=primary]");
      new MutationObserver((_, observer) => {
        if (!button.matches("[data-settling]")) return;
        observer.disconnect();
        button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 2 }));
        button.dataset.secondClick = "done";
      }).observe(button, { attributes: true });
    }`);
    await first.getByRole("button", { name: "Approve refund" }).click();
    await second.locator("[data-second-click=done]").waitFor();
    await firstLine.getByText("approved").waitFor();
    await second.locator("button:not([aria-disabled])", { hasText: "Approve refund" }).waitFor();
  });

  it("takes a key only once the card was on the screen for long enough, and none while a dialog covers it", async () => {
    const demo = await shop();
    await using visitor = await visit(siteOf(demo), { before: stoppedClock });
    const { page } = visitor;
    const { card, call, suggest } = sidesOf(visitor);
    const decision = card(/A-1001/);
    const proposed = call(/A-1001/);
    await suggest(/Please refund order A-1001/);
    await proposed.getByRole("button", { name: "Go to the decision" }).click();
    await expect.poll(() => decision.evaluate((element) => element.matches(":focus"))).toBe(true);
    await page.keyboard.press("a");
    await decision.getByText("Not approved yet").waitFor();
    await moveClockUntilReady(page);

    const denial = page.getByRole("form", { name: "Deny" });
    await page.evaluate(
      'document.body.insertAdjacentHTML("beforeend", `<div id="host" role="dialog">Cookies?</div>`)',
    );
    expect(await keysActing(page, commandKeys, ".cs-card:focus")).toEqual([]);
    await page.evaluate('document.querySelector("#host").remove()');
    // But it does if the card is in the dialog.
    await page.evaluate(
      'document.querySelector(".cs-card:focus").parentElement.setAttribute("role", "dialog")',
    );
    expect(await keysActing(page, ["d"], ".cs-card:focus")).toEqual(["d"]);
    await denial.waitFor();
    await proposed.getByText("Waiting for a person.").waitFor();
    await page.keyboard.press("Escape");
    await denial.waitFor({ state: "hidden" });
    await decision.focus();
    await page.keyboard.press("a");
    await decision.getByText(/^You approved/).waitFor();
  });

  it("goes to a decision whose card comes later, and decides by a key only while the card is on the screen", async () => {
    const demo = await shop();
    await using visitor = await visit(siteOf(demo), { viewport: { width: 640, height: 1200 } });
    const { card, call, suggest, ready } = sidesOf(visitor);
    const decision = card(/A-1001/);
    const proposed = call(/A-1001/);
    const decisions: string[] = [];
    visitor.page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/decision")) decisions.push(request.url());
    });
    // The list, and a single call that is fetched when an event names it.
    const { release } = await holdBack(visitor.page, /\/api\/approvals[?/]/);
    await suggest(/Please refund order A-1001/);
    await proposed.getByRole("button", { name: "Go to the decision" }).click();
    expect(await decision.count()).toBe(0);
    release();
    await expect.poll(() => decision.evaluate((element) => element.matches(":focus"))).toBe(true);
    // A key does not approve what was not fully on the screen yet, so all of it is shown before the window shrinks.
    await expect.poll(() => decision.locator(".cs-unreviewed-note[data-some]").count()).toBe(0);
    await ready(/A-1001/);
    await visitor.page.setViewportSize({ width: 640, height: 140 });
    const top = () => decision.evaluate((element) => element.getBoundingClientRect().top);
    await visitor.page.evaluate("scrollTo(0, 0)");
    await expect.poll(top).toBeGreaterThan(140);
    await visitor.page.keyboard.press("a");
    await expect.poll(top).toBeLessThan(140);
    expect(decisions).toEqual([]);
    await decision.getByRole("button", { name: "Approve refund" }).waitFor();
    await visitor.page.keyboard.press("a");
    await decision.getByText(/^You approved/).waitFor();
  });

  it("fits windows of 320 × 568 and 640 × 400, with one side at a time", async () => {
    const demo = await shop();
    await using visitor = await visit(siteOf(demo), {
      viewport: { width: 320, height: 568 },
      hasTouch: true,
    });
    const { page } = visitor;
    const { chat, desk, card, call, suggest } = sidesOf(visitor);
    const decision = card(/Refund .* A-1002/);
    const proposed = call(/Refund .* A-1002/);
    const expectToFit = async () => {
      for (const [width, height] of [
        [640, 400],
        [320, 568],
      ] as const) {
        await page.setViewportSize({ width, height });
        await page.evaluate(
          "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
        );
        expect([width, await scrollsSideways(page)]).toEqual([width, false]);
        expect([width, (await chat.isVisible()) && (await desk.isVisible())]).toEqual([width, false]);
      }
    };
    await chat.getByText("Delete customer C-7").waitFor();
    await expectToFit();
    await suggest(/Refund orders A-1002 and A-1003/);
    await visitor.button("Decide (2)").waitFor();
    expect(await desk.isVisible()).toBe(false);
    await expectToFit();
    await visitor.picture("front-page-320-chat");
    await proposed.getByRole("button", { name: "Go to the decision" }).click();
    await decision.getByRole("button", { name: "Approve refund" }).waitFor();
    expect(await chat.isVisible()).toBe(false);
    await expectToFit();
    await visitor.picture("front-page-320-decide");
    await decision.getByRole("button", { name: "Deny" }).click();
    await decision.getByRole("textbox", { name: /Reason/ }).waitFor();
    await expectToFit();
    await visitor.button("Ask").first().click();
    await call(/Refund .* A-1003/).waitFor();
    await expectToFit();
  });
});
