// Every gate that a change must pass, in the order in which a failure is cheapest; stops at the first that fails.
import { spawn } from "node:child_process";

const npm = "npm run --silent";
/** The gates by name, and the command of each. Those of one step run side by side. */
const steps = [
  { lint: `${npm} lint` },
  { build: `${npm} build` },
  { typecheck: `${npm} typecheck` },
  { unused: `${npm} unused` },
  { "package-check": `${npm} package-check` },
  { test: `${npm} test` },
  { "test:proofs": "npx vitest run --project proofs --outputFile.json=test-results/proofs.json" },
  // Each for a moment: that they run is checked here, what they measure is not.
  { bench: "node tests/bench/run.mjs --brief" },
  {
    // Both wait more than they compute. They are started without another build, which could replace files in use.
    "test:consumers": "node tests/consumers/run.mjs",
    // The seed repeats the same faults on each change; `npm run chaos` without one looks for new trouble.
    chaos: "node tests/dist/main.js --seed 1 --minutes 2",
  },
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
