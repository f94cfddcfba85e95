// Takes the pictures that the documentation shows: of the inbox and the front page in the real demo, and of what channels send.
// `npm run docs:pictures`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { chromiumOptions, noChromium } from "../support/browser/chromium.mjs";
import { freePort } from "../support/http/free-port.mjs";
import { takeChannelPictures } from "./channel-pictures.mjs";

const maxBytes = 150_000;
const messages = [
  "Please refund order A-1005",
  "Refund A-1001 and A-1002 and tell the customer",
  "Ask for the new address for A-1003",
];
const desktop = { viewport: { width: 1280, height: 760 } };
const low = { viewport: { width: 1280, height: 640 } };
const phone = { viewport: { width: 390, height: 760 }, deviceScaleFactor: 2, hasTouch: true };

/** Parts of a call's page that appear after others. On a phone there is a way back instead of the list. */
const loaded = [
  ".cs-detail[data-ready]",
  ".cs-row:visible, .cs-back:visible",
  ".cs-link-state[data-state=live]",
];

if (noChromium) throw new Error(noChromium);
const file = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const demo = spawn(process.execPath, [file("apps/demo/dist/bundle.js")], {
  env: { PATH: process.env.PATH, PORT: String(port), DATA_DIR: "memory://" },
  stdio: ["ignore", "ignore", "inherit"],
});
const browser = await chromium.launch(chromiumOptions);
try {
  await waitFor(
    "the demo",
    async () => (await fetch(`${url}/api/readyz`).catch(() => undefined))?.status === 200,
  );
  for (const message of messages) await call("/api/chat", "demo-requester", { message });
  const calls = await waitFor("pending calls", async () => {
    const { items } = await call("/api/approvals?status=pending", "demo-finance");
    return items.length >= 5 ? items : undefined;
  });
  const refund = calls.find(({ input }) => input.orderId === "A-1005");
  const question = calls.find(({ toolName }) => toolName === "request_human_input");

  for (const colorScheme of ["light", "dark"]) {
    await takePicture(`inbox-${colorScheme}`, { ...desktop, colorScheme }, refund);
    await takePicture(`phone-${colorScheme}`, { ...phone, colorScheme }, refund);
  }
  await takePicture("edit", desktop, refund, async (page) => {
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "amount" }).waitFor();
  });
  await takePicture("question-form", desktop, question, (page) => page.getByLabel("Postcode").waitFor());
  // Last, because each adds a call to the inbox.
  for (const colorScheme of ["light", "dark"]) await takeFrontPage(colorScheme);
  const booking = await bookCarrier();
  for (const colorScheme of ["light", "dark"]) {
    await takePicture(`undo-${colorScheme}`, { ...low, colorScheme }, booking, async (page) => {
      await page.keyboard.press("u");
      await page.getByRole("textbox", { name: "Reason" }).fill("The customer comes to fetch it");
      await page.locator(".cs-panel [type=submit]:not([aria-disabled])").waitFor();
    });
  }
  const beyondLimit = await refundTwice();
  for (const colorScheme of ["light", "dark"]) {
    await takePicture(
      `limit-${colorScheme}`,
      { ...low, colorScheme, token: "demo-lead" },
      beyondLimit,
      (page) => page.getByText("over the limit").first().scrollIntoViewIfNeeded(),
    );
  }
  await takeChannelPictures(browser, save);
} finally {
  await browser.close();
  demo.kill();
  await once(demo, "exit");
}

/** A call that Finance or the lead sees. */
function find(status, wanted, token = "demo-finance") {
  return waitFor(`a call that is ${status}`, async () => {
    const { items } = await call(`/api/approvals?status=${status}`, token);
    return items.find(wanted);
  });
}

/** A refund that is more, with one before it, than a customer may get in a day. */
async function refundTwice() {
  await call("/api/chat", "demo-requester", { message: "Refund A-1009 and A-1010" });
  return find("pending", ({ counts }) => counts.some(({ exceeds }) => exceeds), "demo-lead");
}

/** A booking that has run, which can be undone. */
async function bookCarrier() {
  await call("/api/chat", "demo-requester", { message: "Ask which carrier to use for A-1002" });
  const { id, digest } = await find("pending", ({ input }) => input.message?.includes("carrier"));
  const response = { action: "accept", content: { choice: "UPS" } };
  await call(`/api/approvals/${id}/decision`, "demo-lead", { type: "respond", digest, response });
  return find("executed", ({ toolName }) => toolName === "book_carrier");
}

/** The demo's front page while a refund waits. */
async function takeFrontPage(colorScheme) {
  const context = await browser.newContext({ ...desktop, colorScheme });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("button", { name: "Please refund order A-1001" }).click();
  await page.getByRole("button", { name: "Go to the decision" }).waitFor();
  await page.getByRole("button", { name: "Approve refund" }).waitFor();
  await save(page, `front-page-${colorScheme}`);
  await context.close();
}

/** The page of one call, as Finance or somebody else sees it. */
async function takePicture(name, { token = "demo-finance", ...options }, { id }, prepare) {
  const context = await browser.newContext(options);
  const signedIn = await context.request.post(`${url}/api/session`, {
    data: { token },
    headers: { origin: url },
  });
  if (!signedIn.ok()) throw new Error(`${token} could not sign in: ${signedIn.status()}`);
  const page = await context.newPage();
  await page.goto(`${url}/inbox/approvals/${id}`);
  for (const part of loaded) await page.locator(part).first().waitFor();
  await prepare?.(page);
  await save(page, name);
  await context.close();
}

async function save(page, name, options = {}) {
  await page.evaluate("document.fonts.ready");
  const path = file(`docs/images/${name}.png`);
  await page.screenshot({ path, animations: "disabled", ...options });
  const { size } = statSync(path);
  console.log(`docs/images/${name}.png: ${Math.round(size / 1000)} kB`);
  if (size > maxBytes) throw new Error(`${name}.png is larger than ${maxBytes} bytes`);
}

async function call(path, token, body) {
  const response = await fetch(`${url}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`);
  return response.json();
}

async function waitFor(what, look, until = Date.now() + 120_000) {
  if (demo.exitCode !== null) throw new Error("The demo has ended");
  const found = await look();
  if (found) return found;
  if (Date.now() > until) throw new Error(`Waited in vain for ${what}`);
  await new Promise((resolve) => setTimeout(resolve, 200));
  return waitFor(what, look, until);
}
