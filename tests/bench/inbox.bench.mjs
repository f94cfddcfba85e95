import { fork } from "node:child_process";
import { postgresStore } from "countersign/postgres";
import { chromium } from "playwright-core";
import postgres from "postgres";
import { chromiumOptions, firstRowAt, noChromium, noteFirstRow } from "../support/browser/chromium.mjs";
import { digestOfPending, fillWithPending } from "../support/postgres/many-approvals.mjs";
import { scaled } from "./support/brief.mjs";
import { startPostgres } from "./support/postgres.mjs";

/**
 * How soon the first of 10,000 waiting calls is painted in Chromium, since its page was asked for: the browser has nothing
 * of it yet, is signed in, and asks a server in another process on a real Postgres. And how much script it took; and for how
 * long the page is busy at most, and what it asks for, while hundreds of the calls are decided elsewhere.
 */
const waiting = scaled(10_000);
const visits = scaled(15);
const changes = scaled(600);

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
    const { longestTask, requests } = await follow(browser, site.url);
    yield {
      name: `inbox, longest task during ${changes} changes`,
      value: longestTask,
      unit: "ms",
      aim: "< 200 ms",
      met: longestTask < 200,
    };
    yield {
      name: `inbox, requests for ${changes} changes`,
      value: requests,
      unit: "requests",
      aim: "< 60",
      met: requests < 60,
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

/** Notes the longest task of the page from then on. The browser reports tasks of 50 ms and more. */
const noteTasks = `new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    globalThis.longestTask = Math.max(globalThis.longestTask ?? 0, duration);
  }
}).observe({ type: "longtask" })`;

/**
 * Has a page open while calls are denied elsewhere, until it shows that they have left.
 *
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 */
async function follow(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    await context.request.post(`${url}/api/session`, { headers: { origin: url } });
    const page = await context.newPage();
    await page.goto(`${url}/inbox/approvals/open_${waiting}`);
    await page.getByRole("heading", { name: `A-${waiting}` }).waitFor();
    let requests = 0;
    page.on("request", () => {
      requests += 1;
    });
    await page.evaluate(noteTasks);
    const size = Math.ceil(changes / 3);
    const deny = async (/** @type {number} */ from) => {
      const numbers = Array.from({ length: Math.min(size, changes - from + 1) }, (_, index) => from + index);
      const items = numbers.map((number) => {
        return { id: `open_${number}`, digest: digestOfPending("acme", number), type: "deny" };
      });
      const answer = await context.request.post(`${url}/api/decisions`, {
        headers: { origin: url },
        data: { items },
      });
      if (!answer.ok()) throw new Error(`The calls were not denied: ${answer.status()}`);
    };
    await Promise.all([1, 1 + size, 1 + 2 * size].filter((from) => from <= changes).map(deny));
    const left = (waiting - changes).toLocaleString("en");
    await page.getByRole("link", { name: `For you ${left}` }).waitFor();
    return { longestTask: Number(await page.evaluate("globalThis.longestTask ?? 0")), requests };
  } finally {
    await context.close();
  }
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
