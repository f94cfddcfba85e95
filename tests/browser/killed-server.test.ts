import { expect, it } from "vitest";
import { demoInstallation } from "../support/demo/demo-process.js";
import { describeInBrowser } from "../support/inbox/describe-in-browser.js";

describeInBrowser("the inbox of a server that is killed (kill -9) and started again", (visit) => {
  it("says that the server is unreachable, recovers without a reload, and runs the call once", async () => {
    await using demo = await demoInstallation();
    await demo.start();
    const { threadId } = await demo.say("Please refund order A-1001");
    await demo.pending();
    await using visitor = await visit(
      { url: `${demo.url}/inbox` },
      { as: "demo-finance", expected: /net::ERR_/ },
    );
    const { page } = visitor;
    await visitor.rows().first().getByRole("link").click();
    const approve = page.getByRole("button", { name: /^Approve/ });
    await approve.waitFor();
    await page.getByRole("img", { name: "Live" }).waitFor();
    await page.evaluate("globalThis.neverReloaded = true");

    await demo.kill();
    await page.getByText("Cannot reach the server").first().waitFor();
    expect(await approve.getAttribute("aria-disabled")).toBe("true");

    await demo.start();
    await page.getByRole("img", { name: "Live" }).waitFor();
    await page.getByText("Cannot reach the server").first().waitFor({ state: "hidden" });
    await approve.click();
    await page.getByText("You approved").first().waitFor();
    await demo.threadDone(threadId);
    expect(await demo.effects()).toHaveLength(1);
    expect(await page.evaluate("globalThis.neverReloaded")).toBe(true);
  });
});
