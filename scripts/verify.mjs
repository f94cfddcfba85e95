// Every gate that a change must pass, in the order in which a failure is cheapest; stops at the first that fails.
import { spawnSync } from "node:child_process";

// The seed repeats the same faults on each change; `npm run chaos` without one looks for new trouble.
const gates = [
  "lint",
  "build",
  "typecheck",
  "unused",
  "package-check",
  "test",
  "test:consumers",
  "chaos -- --seed 1 --minutes 2",
];

for (const gate of gates) {
  console.log(`\n=== ${gate}`);
  const { status } = spawnSync("npm", ["run", "--silent", ...gate.split(" ")], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error(`\nverify: the gate "${gate}" failed`);
    process.exit(status ?? 1);
  }
}
