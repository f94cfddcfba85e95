import { fork } from "node:child_process";
import { postgresStore } from "countersign/postgres";
import { chromium } from "playwright-core";
import postgres from "postgres";
import { chromiumOptions, firstRowAt, noChromium, noteFirstRow } from "../support/browser/chromium.mjs";
import { fillWithPending } from "../support/postgres/many-approvals.mjs";
import { scaled } from "./support/brief.mjs";
import { startPostgres } from "./support/postgres.mjs";

/**
 * How soon the first of 10,000 waiting calls is painted in Chromium, since its page was asked for: the browser has nothing
 * of it yet, is signed in, and asks a server in another process on a real Postgres. And how much script it took.
 */
const waiting = scaled(10_000);
const visits = scaled(15);

export const leftOutBecause = noChromium;

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* inbox() {
  const server = await startPostgres();
  const site = await openSite(server.url);
  const browser = await chromium.launch(chromiumOptions);
  try {
    // The server's first answers, when it compiles its code and connects to the database, are nobody's usual ones.
    await visit(browser, site.url);
    const seen = [];
    for (let each = 0; each < visits; each++) seen.push(await visit(browser, site.url));
    const painted = median(seen.map(({ at }) => at));
    yield {
      name: "inbox, first of 10,000 rows painted",
      value: painted,
      unit: "ms",
      aim: "< 1,000 ms",
      met: painted < 1000,
    };
    const script = Math.max(...seen.map(({ scriptBytes }) => scriptBytes)) / 1000;
    yield {
      name: "inbox, script before it, compressed",
      value: script,
      unit: "kB",
      aim: "< 200 kB",
      met: script < 200,
    };
  } finally {
    await browser.close();
    site.process.kill();
    await server.stop();
  }
}

/**
 * @param {string} databaseUrl
 * @returns {Promise<{ url: string, process: import("node:child_process").ChildProcess }>}
 */
async function openSite(databaseUrl) {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await postgresStore({ client: sql }).migrate();
  await fillWithPending(sql, "acme", waiting);
  await sql.end();
  const site = fork(new URL("./support/inbox-site.mjs", import.meta.url), {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  return new Promise((resolve, reject) => {
    site.once("message", (/** @type {{ url: string }} */ { url }) => resolve({ url, process: site }));
    site.once("exit", (code) => reject(new Error(`The inbox's server ended with ${code}`)));
  });
}

/**
 * One look with a browser that has seen nothing before.
 *
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 */
async function visit(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    await context.request.post(`${url}/api/session`, { headers: { origin: url } });
    await context.addInitScript(noteFirstRow);
    const page = await context.newPage();
    await page.goto(`${url}/inbox`);
    const at = Number(await page.evaluate(firstRowAt));
    const scriptBytes = Number(
      await page.evaluate(`performance.getEntriesByType("resource")
        .filter(({ name, startTime }) => name.endsWith(".js") && startTime < ${at})
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`),
    );
    return { at, scriptBytes };
  } finally {
    await context.close();
  }
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
