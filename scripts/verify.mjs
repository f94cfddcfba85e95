// The gates in the order in which a failure is cheapest; stops at the first that fails.
//
//   npm run verify                all of them
//   npm run verify -- --merge     those that every change must pass before it is merged
import { spawn } from "node:child_process";

const npm = "npm run --silent";
const merge = process.argv.includes("--merge");
const chaos = "node tests/dist/main.js";

/**
 * The gates by name, and the command of each. Those of one step run side by side, and the first of them prints as it goes.
 * Consumers wait for the registry more than they compute. What comes after the build does not build again, which could
 * replace files in use.
 */
const steps = [
  { build: `${npm} build`, lint: `${npm} lint` },
  { typecheck: `${npm} typecheck`, unused: `${npm} unused`, "package-check": `${npm} package-check` },
  { test: `${npm} test` },
  {
    "test:rest": `${npm} test:rest`,
    "test:consumers": `node tests/consumers/run.mjs${merge ? " types lowest kit policy" : ""}`,
  },
  // A seed repeats the same faults on each change; `npm run chaos` without one looks for new trouble.
  ...(merge
    ? [{ chaos: `${chaos} --seed 1 --minutes 1` }]
    : [
        {
          "test:proofs": "npx vitest run --project proofs --outputFile.json=test-results/proofs.json",
          // Chaos often waits, and must find nothing on a busy machine either.
          chaos: `${chaos} --seed 1 --minutes 2 && ${chaos} --seed 7 --minutes 2`,
          // Each for a moment: that they run is checked here, what they measure is not.
          bench: "node tests/bench/run.mjs --brief",
        },
      ]),
];

for (const step of steps) {
  const gates = Object.entries(step);
  const passed = await Promise.all(gates.map(([name, command], index) => pass(name, command, index > 0)));
  const failed = gates.find((_, index) => !passed[index]);
  if (failed) {
    console.error(`\nverify: the gate "${failed[0]}" failed`);
    process.exit(1);
  }
}

/** Whether a gate's command ends with 0. If `aside`, its output is printed when it has ended. */
function pass(name, command, aside) {
  if (!aside) console.log(`\n=== ${name}`);
  const output = [];
  const child = spawn(command, { shell: true, stdio: aside ? ["ignore", "pipe", "pipe"] : "inherit" });
  child.stdout?.on("data", (data) => output.push(data));
  child.stderr?.on("data", (data) => output.push(data));
  return new Promise((resolve) => {
    child.on("close", (status) => {
      if (aside) console.log(`\n=== ${name}\n${Buffer.concat(output)}`);
      resolve(status === 0);
    });
  });
}
