// Packs the packages and uses them as applications do: in folders outside of this repository, installed from the tarballs.
//
//   npm run test:consumers                 all of them
//   npm run test:consumers -- types next   only these
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ai7 } from "./ai7.mjs";
import { channelsAlone, cliAlone, policyAlone, withoutAgentKit } from "./alone.mjs";
import { bundle } from "./bundle.mjs";
import { init } from "./init.mjs";
import { kit } from "./kit.mjs";
import { lowest } from "./lowest.mjs";
import { mcp } from "./mcp.mjs";
import { next } from "./next.mjs";
import { install, packPackages, scratch } from "./project.mjs";
import { types } from "./types.mjs";

const consumers = {
  ...{ types, mcp, kit, bundle, lowest, ai7, next, init },
  ...{ policy: policyAlone, channels: channelsAlone, cli: cliAlone, loop: withoutAgentKit },
};
const apps = "tests/consumers/apps";
const alone = "tests/consumers/alone";
/** The project that each consumer works in; several share one. */
const templates = {
  ...{ types: apps, mcp: apps, kit: apps, bundle: apps },
  ...{ lowest: "tests/consumers/lowest", ai7: "tests/consumers/ai7", next: "apps/next-example" },
  init: "tests/consumers/init",
  ...{ policy: `${alone}/policy`, channels: `${alone}/channels`, cli: `${alone}/cli`, loop: `${alone}/loop` },
};
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in consumers));
if (unknown.length > 0) {
  console.error(
    `There is no consumer ${unknown.join(", ")}. There are: ${Object.keys(consumers).join(", ")}`,
  );
  process.exit(2);
}

const resultsFile = fileURLToPath(new URL("../../test-results/consumers.json", import.meta.url));
rmSync(resultsFile, { force: true });
const results = [];
const skipped = [];
/** Does something that takes long, and prints how long. */
async function timed(title, work) {
  const began = performance.now();
  const result = await work();
  console.log(`  ${title} (${secondsSince(began)} s)`);
  return result;
}
function secondsSince(began) {
  return Math.round((performance.now() - began) / 100) / 10;
}
const began = performance.now();
try {
  const tarballs = await timed("pack the packages", packPackages);
  const chosen = Object.entries(consumers).filter(([name]) => wanted.length === 0 || wanted.includes(name));
  // Installations wait for the registry more than they compute: each begins when the one before it has ended, while the
  // consumers of those that are ready are checked.
  const folders = new Map();
  let before = Promise.resolve();
  for (const template of new Set(chosen.map(([name]) => templates[name]))) {
    const folder = before.then(() => timed(`install ${template}`, () => install(template, tarballs)));
    before = folder.catch(() => {});
    folders.set(template, folder);
  }
  for (const [name, consume] of chosen) {
    const skip = (title, reason) => {
      skipped.push({ consumer: name, title, reason });
      console.error(`!!! NOT RUN: ${name}: ${title}: ${reason}`);
    };
    const check = async (title, work) => {
      const began = performance.now();
      const problem = await work().then(
        () => undefined,
        (error) => String(error?.stack ?? error),
      );
      const seconds = secondsSince(began);
      results.push({ consumer: name, title, passed: problem === undefined, seconds });
      console.log(`${problem === undefined ? "✓" : "✗"} ${name}: ${title} (${seconds} s)`);
      if (problem !== undefined) console.error(problem);
    };
    // What comes before its first check, such as an installation, counts too.
    const consumed = await folders
      .get(templates[name])
      .then((folder) => consume({ folder, skip }, check))
      .then(
        () => undefined,
        (error) => error,
      );
    if (consumed) await check("set up", () => Promise.reject(consumed));
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const failed = results.filter(({ passed }) => !passed).length;
mkdirSync(new URL(".", `file://${resultsFile}`), { recursive: true });
writeFileSync(
  resultsFile,
  JSON.stringify({ passed: results.length - failed, failed, results, skipped }, null, 2),
);
console.log(
  `consumers: ${results.length - failed} passed, ${failed} failed, ${skipped.length} not run (${secondsSince(began)} s)`,
);
process.exit(failed > 0 ? 1 : 0);
