// The gates in the order in which a failure is cheapest; stops at the first that fails.
//
//   npm run verify                all of them
//   npm run verify -- --merge     those that every change must pass before it is merged
import { spawn } from "node:child_process";

const npm = "npm run --silent";
/** The gates by name, and the command of each. Those of one step run side by side. */
const before = [
  { lint: `${npm} lint` },
  { build: `${npm} build` },
  { typecheck: `${npm} typecheck` },
  { unused: `${npm} unused` },
  { "package-check": `${npm} package-check` },
  { test: `${npm} test` },
  { "test:rest": `${npm} test:rest` },
];

// Consumers wait for the registry more than they compute, and chaos for its faults. They are started without another
// build, which could replace files in use. A seed repeats the same faults on each change; `npm run chaos` without one
// looks for new trouble.
const consumers = "node tests/consumers/run.mjs";
const chaos = "node tests/dist/main.js";
const after = process.argv.includes("--merge")
  ? [{ "test:consumers": `${consumers} types lowest kit`, chaos: `${chaos} --seed 1 --minutes 1` }]
  : [
      { "test:proofs": "npx vitest run --project proofs --outputFile.json=test-results/proofs.json" },
      // Each for a moment: that they run is checked here, what they measure is not.
      { bench: "node tests/bench/run.mjs --brief" },
      {
        "test:consumers": consumers,
        chaos: `${chaos} --seed 1 --minutes 2 && ${chaos} --seed 7 --minutes 2`,
      },
    ];

for (const step of [...before, ...after]) {
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
