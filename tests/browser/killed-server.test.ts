import { expect, it } from "vitest";
import { demoInstallation } from "../support/demo/demo-process.js";
import { sidesOf } from "../support/demo/front-page.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";

describeInBrowser("the pages of a server that is killed (kill -9) and started again", (visit) => {
  it("say that it is unreachable, recover without a reload, and run each call once", async () => {
    await using demo = await demoInstallation();
    await demo.start();
    await using inbox = await visit(
      { url: `${demo.url}/inbox` },
      { as: "demo-finance", expected: /net::ERR_/ },
    );
    const { page } = inbox;
    const { threadId } = await demo.say("Please refund order A-1002");
    await inbox.open(/A-1002/);
    const approve = page.getByRole("button", { name: /^Approve/ });
    await approve.waitFor();
    await page.getByRole("img", { name: "Live" }).waitFor();

    await using front = await visit({ url: demo.url }, { expected: /ERR_|Failed to load/ });
    const { chat, card, call, suggest } = sidesOf(front);
    await suggest(/Please refund order A-1001/);
    await card(/A-1001/).waitFor();
    for (const visitor of [inbox, front]) await visitor.page.evaluate("globalThis.neverReloaded = true");

    await demo.kill();
    await page.getByText("Cannot reach the server").first().waitFor();
    await page.keyboard.press("a");
    expect(await approve.getAttribute("aria-disabled")).toBe("true");
    await inbox.picture("server-gone");
    await chat.getByText("The server does not answer. Calls keep waiting; trying again.").waitFor();

    await demo.start();
    await page.getByRole("img", { name: "Live" }).waitFor();
    await page.getByText("Cannot reach the server").first().waitFor({ state: "hidden" });
    await approve.click();
    await page.getByText("You approved").first().waitFor();
    await demo.threadDone(threadId);
    await call(/A-1001/)
      .getByText("Waiting for a person.")
      .waitFor();
    await card(/A-1001/)
      .locator("button:not([aria-disabled])", { hasText: "Approve refund" })
      .click();
    await chat.getByText("Order A-1001 is refunded: 49.90 EUR.", { exact: true }).waitFor();
    expect(await demo.effects()).toHaveLength(2);
    for (const { page: shown } of [inbox, front]) {
      expect(await shown.evaluate("globalThis.neverReloaded")).toBe(true);
    }
  });
});
