import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { haveChromium, openBrowser } from "./chromium.js";
import { openRefunds } from "./refunds.js";
import type { Site } from "./site.js";
import { visit } from "./visitor.js";

describe.skipIf(!haveChromium)("the inbox shows", () => {
  let browser: Browser;
  let site: Site;
  let path: string;
  beforeAll(async () => {
    browser = await openBrowser();
    site = await openRefunds([80]);
    path = `/approvals/${(await site.harness.onlyPending()).id}`;
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  it("nothing but a way to sign in to somebody who is not, and again after they have signed out", async () => {
    await using visitor = await visit(browser, site, { path, expected: /401 \(Unauthorized\)/ });
    const { page } = visitor;
    await visitor.heading("Approvals").waitFor();
    expect(await page.content()).not.toContain("Refund");
    await visitor.picture("sign-in");
    await page.getByLabel("Token").fill("nobody");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").waitFor();

    await visitor.button("Finance").click();
    await visitor.heading("Refund 80 EUR").waitFor();
    await visitor.button(/menu$/).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await visitor.heading("Approvals").waitFor();
    expect(await page.locator("body").textContent()).not.toContain("Refund");
    await page.reload();
    await visitor.heading("Approvals").waitFor();
  });

  it("nothing of one tenant to another, whatever the address", async () => {
    await using visitor = await visit(browser, site, { as: "stranger", path, expected: /404 \(Not Found\)/ });
    const { page } = visitor;
    await visitor.heading("There is nothing here for you").waitFor();
    await visitor.heading("Nothing waits for you").waitFor();
    expect(await page.content()).not.toContain("Refund");
    await visitor.picture("another-tenant");
  });

  it("to who asked what becomes of it, and no way to decide", async () => {
    await using visitor = await visit(browser, site, { as: "requester", path });
    await visitor.heading("Refund 80 EUR").waitFor();
    await visitor.page.getByText("You asked for this").waitFor();
    expect(await visitor.button("Approve: refund").count()).toBe(0);
  });
});
