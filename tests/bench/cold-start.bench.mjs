import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/http/free-port.mjs";
import { scaled } from "./support/brief.mjs";
import { median } from "./support/measure.mjs";
import { startPostgres } from "./support/postgres.mjs";

/**
 * From the start of the demo's process to the first answer of `/health`: on an empty PGlite folder, on one that is there
 * already, on an empty Postgres database and on one that is there already.
 */
const starts = scaled(3, 1);
const aims = new Map([
  ["PGlite, empty", 2500],
  ["PGlite, again", 2000],
]);
const main = fileURLToPath(new URL("../../apps/demo/dist/bundle.js", import.meta.url));

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* coldStart() {
  const server = await startPostgres();
  /** @type {Record<"PGlite, empty" | "PGlite, again" | "Postgres, empty" | "Postgres, again", number[]>} */
  const times = { "PGlite, empty": [], "PGlite, again": [], "Postgres, empty": [], "Postgres, again": [] };
  try {
    for (let n = 0; n < starts; n++) {
      const folder = mkdtempSync(join(tmpdir(), "countersign-bench-demo-"));
      times["PGlite, empty"].push(await startDemo({ DATA_DIR: folder }));
      times["PGlite, again"].push(await startDemo({ DATA_DIR: folder }));
      const url = await server.open(`demo_${n}`);
      times["Postgres, empty"].push(await startDemo({ DATA_DIR: folder, DATABASE_URL: url }));
      times["Postgres, again"].push(await startDemo({ DATA_DIR: folder, DATABASE_URL: url }));
      rmSync(folder, { recursive: true, force: true });
    }
  } finally {
    await server.stop();
  }
  for (const [name, all] of Object.entries(times)) {
    const aim = aims.get(name);
    const value = median(all);
    yield {
      ...{ name: `cold start of the demo, ${name}`, value, unit: "ms" },
      ...(aim && { aim: `≤ ${aim.toLocaleString("en")} ms`, met: value <= aim }),
    };
  }
}

/** @param {Record<string, string>} environment */
async function startDemo(environment) {
  const port = await freePort();
  const start = performance.now();
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, PORT: String(port), ...environment },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  try {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`The demo ended with ${child.exitCode}`);
      const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
      if (response?.ok) return performance.now() - start;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}
