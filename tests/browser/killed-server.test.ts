import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoInstallation } from "../support/demo-process.js";
import { haveChromium, openBrowser } from "./chromium.js";
import { visit } from "./visitor.js";

describe.skipIf(!haveChromium)("the inbox of a server that is killed (kill -9) and started again", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it("says that it is gone, recovers by itself, and what is decided then runs once", async () => {
    await using demo = await demoInstallation();
    await demo.start();
    const { threadId } = await demo.say("Please refund order A-1001");
    await demo.pending();
    await using visitor = await visit(
      browser,
      { url: `${demo.url}/inbox` },
      { as: "demo-finance", expected: /net::ERR_/ },
    );
    const { page } = visitor;
    await visitor.rows().first().getByRole("link").click();
    const approve = page.getByRole("button", { name: /^Approve/ });
    await approve.waitFor();
    await page.getByRole("img", { name: "Up to date, live" }).waitFor();
    await page.evaluate("globalThis.neverReloaded = true");

    await demo.kill();
    await page.getByText("The server cannot be reached").first().waitFor();
    expect(await approve.getAttribute("aria-disabled")).toBe("true");

    await demo.start();
    await page.getByRole("img", { name: "Up to date, live" }).waitFor();
    await page.getByText("The server cannot be reached").first().waitFor({ state: "hidden" });
    await approve.click();
    await page.getByText("You approved").first().waitFor();
    await demo.threadDone(threadId);
    expect(await demo.effects()).toHaveLength(1);
    expect(await page.evaluate("globalThis.neverReloaded")).toBe(true);
  });
});
