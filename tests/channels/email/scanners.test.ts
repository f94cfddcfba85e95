import { inboxPage } from "@countersign/inbox/server";
import { email } from "countersign/email";
import { Hono } from "hono";
import { type Browser, chromium, type Page } from "playwright-core";
import { expect, it } from "vitest";
import { openMailServer } from "../../channels/email/mail-server.js";
import { openApiWorld } from "../../support/api-world.js";
import { chromiumOptions, noChromium } from "../../support/browser/chromium.mjs";
import { exampleCard, exampleDelivery } from "../../support/example-delivery.js";
import { listenOn } from "../../support/http/listen-on.js";
import { proposeCall } from "../../support/proposals.js";

/** Everything in the parts of a mail that a program could take for an address. */
function addressesIn(...parts: string[]): string[] {
  const found = parts.flatMap((text) => text.match(/https?:\/\/[^\s"'<>]+/gi) ?? []);
  return [...new Set(found.map((address) => address.replaceAll("&amp;", "&")))];
}

/** A mail about a pending call, and the site that it links to. */
async function openMailed() {
  const world = await openApiWorld();
  const [call] = await proposeCall(world.store);
  if (!call) throw new Error("unreachable");
  const app = new Hono()
    .route(
      "/inbox",
      // Who operates every control would also take back a decision that is held.
      inboxPage({ apiBase: "/api", basePath: "/inbox", signIn: { url: "/sign-in" }, holdMs: 0 }),
    )
    .route("/api", world.api);
  const site = await listenOn(async (request) => app.fetch(request));
  const server = await openMailServer();
  const finance = "finance@example.com";
  const channel = email({ transport: server.url, from: finance, recipients: { default: finance } });
  const card = exampleCard({
    approvalId: call.id,
    digest: call.digest,
    url: `${site.url}/inbox/approvals/${call.id}`,
  });
  await channel.send(
    exampleDelivery({ recipient: { id: finance, label: finance }, card }),
    new AbortController().signal,
  );
  const [arrived] = server.arrived;
  if (!arrived) throw new Error("unreachable");
  return {
    ...{ world, call, site, card, arrived },
    async [Symbol.asyncDispose]() {
      site.close();
      await server[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

it("a program that follows every link of a mail, with any method and as anyone, decides nothing", async () => {
  await using mailed = await openMailed();
  const { world, call, card, arrived } = mailed;
  const addresses = addressesIn(String(arrived?.mail.text), String(arrived?.mail.html));
  expect(addresses).toContain(card.url);
  expect(arrived?.mail.html).not.toContain("<form");
  // A decision needs the digest, which the mail does not hold.
  expect(`${arrived?.mail.text}${arrived?.mail.html}`).not.toContain(call.digest);

  const decision = JSON.stringify({ type: "approve", digest: call.digest });
  const statuses: number[] = [];
  for (const address of addresses) {
    for (const method of ["HEAD", "GET", "POST", "PUT", "OPTIONS"]) {
      for (const authorization of ["", "Bearer finance"]) {
        const body = method === "POST" || method === "PUT" ? decision : null;
        const headers = { authorization, "content-type": "application/json" };
        const { status } = await fetch(address, { method, body, headers, redirect: "manual" });
        statuses.push(status);
      }
    }
  }
  expect(statuses).toContain(200);
  const after = await world.request("finance", `/approvals/${call.id}`);
  expect(await after.json()).toMatchObject({ status: "pending", votes: [] });
  // The same decision succeeds through the API, by a person who is signed in.
  const decided = await world.request("finance", `/approvals/${call.id}/decision`, {
    method: "POST",
    body: decision,
  });
  expect(decided.status).toBe(200);
});

const words = ["approve", "yes", "APPROVE", "A-1"];

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
