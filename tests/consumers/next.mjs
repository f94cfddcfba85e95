import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createLocalEngine } from "@countersign/local-engine";
import { scriptedModel } from "@countersign/testing";
import { serve } from "@hono/node-server";
import { chromium } from "playwright-core";
import { chromiumOptions, noChromium } from "../support/browser/chromium.mjs";
import { freePort } from "../support/http/free-port.mjs";
import { startPostgres } from "../support/postgres/own-postgres.mjs";
import { run, scratch } from "./project.mjs";
import { startServer } from "./server-process.mjs";

const patience = { timeout: 60_000 };

/** The Next.js example: a refund from the message to its effect, in a browser, on both kinds of production build. */
export async function next({ folder, skip }, check) {
  await check("next build, without a database", () => build(folder));
  if (noChromium) {
    skip("the built application in a browser", noChromium);
    return;
  }
  const postgres = await startPostgres({ flags: ["fsync=off"] });
  try {
    const startFile = join("node_modules", "next", "dist", "bin", "next");
    await check("next start", () =>
      refundInBrowser(postgres, "started", { cwd: folder, file: startFile, args: ["start"] }),
    );
    await check("next build with output standalone", () => build(folder, { NEXT_OUTPUT: "standalone" }));
    // As an image would have it: what was traced, the static files, and nothing else.
    const alone = join(scratch, "standalone");
    mkdirSync(alone);
    cpSync(join(folder, ".next", "standalone"), alone, { recursive: true });
    cpSync(join(folder, ".next", "static"), join(alone, ".next", "static"), { recursive: true });
    await check("the standalone server, copied", () =>
      refundInBrowser(postgres, "standalone", { cwd: alone, file: "server.js", args: [] }),
    );
  } finally {
    await postgres.stop();
  }
}

function build(folder, env = {}) {
  return run(folder, "npx", ["next", "build"], { ...env, NEXT_TELEMETRY_DISABLED: "1" });
}

/** Asks for a refund, approves it and waits for its effect, on a server of the example that was built before. */
export async function refundInBrowser(postgres, name, server) {
  await postgres.createDatabase(`next_${name}`);
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const keys = { signingKey: `signkey-prod-${randomBytes(16).toString("hex")}`, eventKeys: ["event-key"] };
  const engine = await createLocalEngine({ database: "memory", apps: { "support-desk": origin }, ...keys });
  const enginePort = await freePort();
  const listening = serve({
    fetch: (request) => engine.fetch(request),
    port: enginePort,
    hostname: "127.0.0.1",
  });
  const model = await scriptedModel({ reply }).listen();
  const app = startServer(server, {
    PORT: String(port),
    HOSTNAME: "localhost",
    APP_ORIGIN: origin,
    DATABASE_URL: `${postgres.ownerUrl}/next_${name}`,
    SESSION_SECRET: randomBytes(24).toString("hex"),
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: `${model.url}/v1`,
    INNGEST_BASE_URL: `http://127.0.0.1:${enginePort}`,
    INNGEST_EVENT_KEY: "event-key",
    INNGEST_SIGNING_KEY: keys.signingKey,
  });
  try {
    await app.answers(`${origin}/api/desk/readyz`);
    const registered = await fetch(`${origin}/api/inngest`, { method: "PUT" });
    if (!registered.ok) throw new Error(`The app did not register: ${await registered.text()}`);
    await engine.start();
    await approveInBrowser(origin);
    const refunds = app.lines.filter((line) => line.startsWith("refunded "));
    if (refunds.length !== 2) throw new Error(`Refunds: ${JSON.stringify(refunds)}`);
  } catch (error) {
    throw new Error(`${error.stack}\nThe server printed:\n${app.lines.join("\n")}`, { cause: error });
  } finally {
    await app.stop();
    await engine.stop();
    listening.closeAllConnections?.();
    listening.close();
    await model.close();
  }
}

async function approveInBrowser(origin) {
  const browser = await chromium.launch(chromiumOptions);
  try {
    const rita = await signIn(browser, origin, "Rita (support)", "/");
    await rita.getByLabel("Message").fill("Please refund order A-1001");
    await rita.getByRole("button", { name: "Send" }).click();
    await rita.getByText("Waiting for finance to decide.").waitFor(patience);

    const finn = await signIn(browser, origin, "Finn (finance)", "/");
    await finn.getByRole("link", { name: "Approvals" }).click();
    await finn
      .getByRole("link", { name: /Refund 49\.9/ })
      .first()
      .click();

    const approve = finn.getByRole("button", { name: "Approve refund" });
    await approve.waitFor(patience);
    // The address is one of the inbox's own, below the page's.
    await finn.reload();
    await approve.waitFor(patience);
    await isInsideWindow(finn, approve);
    await approve.click();

    await rita.getByText("Order A-1001 is refunded.").waitFor(patience);
    await rita.reload();
    await rita.getByText("Order A-1001 is refunded.").waitFor(patience);
    await rita.getByText("Approved by finn. It ran once.").waitFor(patience);

    await decideInChat(finn, origin);
  } finally {
    await browser.close();
  }
}

/** Who may approve, approves and denies in their own chat, also after a reload. */
async function decideInChat(page, origin) {
  for (const [button, end] of [
    ["Deny", "Denied by finn: No receipt"],
    ["Approve", "Approved by finn. It ran once."],
  ]) {
    await page.goto(`${origin}/`);
    await page.getByLabel("Message").fill("Please refund order A-1001");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: button }).waitFor(patience);
    await page.reload();
    await page.getByRole("button", { name: button }).waitFor(patience);
    if (button === "Deny") await page.getByLabel("Reason").fill("No receipt");
    await page.getByRole("button", { name: button }).click();
    await page.getByText(end).waitFor(patience);
  }
}

async function signIn(browser, origin, name, path) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${origin}${path}`);
  await page.getByRole("button", { name }).click(patience);
  await page.waitForURL((url) => url.pathname === path, patience);
  return page;
}

/** Neither the header nor the inbox makes the page scroll. */
async function isInsideWindow(page, element) {
  const box = await element.boundingBox();
  const height = await page.evaluate("innerHeight");
  const scrollable = await page.evaluate("document.documentElement.scrollHeight > innerHeight");
  if (!box || box.y + box.height > height || scrollable) {
    throw new Error(
      `The button is at ${JSON.stringify(box)} of ${height} px; the page scrolls: ${scrollable}`,
    );
  }
}

/** Desk looks the order up and hands over, billing refunds. */
function reply({ messages, tools }) {
  const can = (name) => tools.some((tool) => tool.name === name);
  const done = messages.filter(({ role }) => role === "tool").map(({ toolName }) => toolName);
  if (done.includes("issue_refund")) {
    const denied = JSON.stringify(messages.at(-1)).includes("No receipt");
    return { text: denied ? "Finance denied it." : "Order A-1001 is refunded." };
  }
  if (can("issue_refund")) {
    return {
      toolCalls: [{ name: "issue_refund", input: { orderId: "A-1001", amount: 49.9, currency: "EUR" } }],
    };
  }
  const [toolName, input] = done.includes("look_up_order")
    ? ["hand_over_to_billing", {}]
    : ["look_up_order", { orderId: "A-1001" }];
  return { toolCalls: [{ name: toolName, input }] };
}
