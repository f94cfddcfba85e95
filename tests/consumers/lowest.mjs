import { chromium } from "playwright-core";
import { chromiumOptions, noChromium } from "../support/browser/chromium.mjs";
import { freePort } from "../support/http/free-port.mjs";
import { startPostgres } from "../support/postgres/own-postgres.mjs";
import { run } from "./project.mjs";
import { startServer } from "./server-process.mjs";

const patience = { timeout: 60_000 };

/** The versions of React that are tested, each with its types. */
const reacts = [
  { react: "18.3.0", types: "18.3.31", dom: "18.3.7" },
  { react: "19.0.0", types: "19.0.14", dom: "19.0.6" },
  { react: "19.2.0", types: "19.2.18", dom: "19.2.7" },
];

/** AgentKit and Inngest have errors in declarations of their own. */
const ofOthers = /^node_modules\/(@inngest\/agent-kit|inngest)\//;

/** The lowest supported versions, beside each supported React: the inbox, rendered on the server, approves a call. */
export async function lowest({ folder, skip }, check) {
  const postgres = await startPostgres({ flags: ["fsync=off"] });
  try {
    await postgres.createDatabase("lowest");
    for (const [index, { react, types, dom }] of reacts.entries()) {
      await check(`install beside React ${react}`, async () => {
        const wanted = [
          `react@${react}`,
          `react-dom@${react}`,
          `@types/react@${types}`,
          `@types/react-dom@${dom}`,
        ];
        await run(folder, "npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...wanted]);
      });
      await check(`compile with React ${react}`, () => compile(folder));
      await bundle(folder);
      const onPostgres = index === 0;
      const title = `approve in the inbox with React ${react} on ${onPostgres ? "Postgres" : "PGlite"}`;
      if (noChromium) skip(title, noChromium);
      else await check(title, () => approveInInbox(folder, onPostgres ? `${postgres.ownerUrl}/lowest` : ""));
    }
  } finally {
    await postgres.stop();
  }
}

async function compile(folder) {
  const flags = [
    ...["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false"],
    ...["--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom,dom.iterable"],
    ...["--jsx", "react-jsx", "--types", "node"],
  ];
  const printed = await run(folder, "npx", ["tsc", ...flags, "server.ts", "page.ts"]).catch((error) =>
    String(error.message),
  );
  const errors = printed.split("\n").filter((line) => /error TS\d+/.test(line) && !ofOthers.test(line));
  if (errors.length > 0) throw new Error(errors.join("\n"));
}

async function bundle(folder) {
  const all = ["--bundle", "--format=esm", "--jsx=automatic", "--log-level=warning"];
  await run(folder, "npx", [
    ...["esbuild", "page.ts", ...all, "--outfile=page.js"],
    '--define:process.env.NODE_ENV="development"',
  ]);
  await run(folder, "npx", [
    ...["esbuild", "server.ts", ...all, "--outfile=server.mjs"],
    ...["--platform=node", "--packages=external"],
  ]);
}

/** React writes to the console what it would not accept, such as a page that differs from what the server rendered. */
async function approveInInbox(folder, databaseUrl) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const server = startServer(
    { cwd: folder, file: "server.mjs" },
    { PORT: String(port), DATABASE_URL: databaseUrl },
  );
  const problems = [];
  const browser = await chromium.launch(chromiumOptions);
  try {
    await server.answers(`${origin}/inbox/`);
    const rendered = await (await fetch(`${origin}/inbox/`)).text();
    if (!rendered.includes('aria-label="Loading"')) throw new Error(`The server rendered:\n${rendered}`);
    const page = await browser.newPage();
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) problems.push(message.text());
    });
    await page.goto(`${origin}/inbox/`);
    await page
      .getByRole("link", { name: /refund/ })
      .first()
      .click(patience);
    await page.getByRole("button", { name: "Approve" }).click(patience);
    // The panel focuses its button, and arms it after a moment.
    await page.locator("form button[type=submit]:focus:not([data-arming])").press("Enter", patience);
    await server.prints("refunded A-1001");
    if (problems.length > 0) throw new Error(`The browser's console says:\n${problems.join("\n")}`);
  } catch (error) {
    throw new Error(
      `${error.stack}\nThe server printed:\n${server.lines.join("\n")}\n${problems.join("\n")}`,
      {
        cause: error,
      },
    );
  } finally {
    await browser.close();
    await server.stop();
  }
}
