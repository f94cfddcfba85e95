import { type Browser, chromium, type Page } from "playwright-core";
import { expect, it } from "vitest";
import { chromiumOptions, noChromium } from "../../support/browser/chromium.mjs";
import { addressesIn, openMailed } from "./mailed-call.js";

const words = ["approve", "A-1"];

/** What a program in a real browser can do on a page: type into every field, and press, hold and click everything. */
async function operateEverything(page: Page): Promise<void> {
  for (const word of words) {
    for (const field of await page.locator("input, textarea").all()) {
      await field.fill(word, { timeout: 500 }).catch(() => {});
      await field.press("Enter", { timeout: 500 }).catch(() => {});
    }
    for (const control of await page.locator("button, [role=button], input[type=submit]").all()) {
      // A program can hold a button as easily as click it.
      await control.click({ timeout: 500, delay: 200, force: true }).catch(() => {});
    }
  }
  for (const key of ["a", "Enter"]) await page.keyboard.press(key);
}

async function operateEach(page: Page, address: string): Promise<void> {
  const controls = page.locator("button, [role=button], input[type=submit]");
  for (let at = 0; ; at++) {
    await page.goto(address);
    await page.getByRole("heading").first().waitFor();
    // A decided call is never ready.
    await page
      .locator("article[data-ready]")
      .waitFor({ timeout: 5000 })
      .catch(() => {});
    if (at >= (await controls.count())) return;
    await controls
      .nth(at)
      .click({ timeout: 500, delay: 200, force: true })
      .catch(() => {});
  }
}

it.skipIf(noChromium !== undefined)(
  "a real browser that follows a mail's links and operates every control decides only if signed in",
  async () => {
    await using mailed = await openMailed();
    const { world, call, card, arrived } = mailed;
    const browser: Browser = await chromium.launch(chromiumOptions);
    try {
      const scan = async (headers: Record<string, string>) => {
        const context = await browser.newContext({ extraHTTPHeaders: headers });
        const page = await context.newPage();
        for (const address of addressesIn(String(arrived.mail.text), String(arrived.mail.html))) {
          await page.goto(address);
          await page.getByRole("heading").first().waitFor();
          await operateEverything(page);
        }
        await context.close();
      };
      const present = async () => (await world.request("finance", `/approvals/${call.id}`)).json();
      expect(card.url).toContain(call.id);
      await scan({});
      expect(await present()).toMatchObject({ status: "pending", votes: [] });
      // The same program decides if it is signed in: only the missing session keeps it out, not a gesture.
      await scan({ authorization: "Bearer finance" });
      // The same with a newly loaded page for each control, since one of them may lead away.
      const context = await browser.newContext({ extraHTTPHeaders: { authorization: "Bearer finance" } });
      await operateEach(await context.newPage(), card.url ?? "");
      await context.close();
      await expect.poll(present).not.toMatchObject({ status: "pending" });
    } finally {
      await browser.close();
    }
  },
);
