import { join } from "node:path";
import { run } from "./project.mjs";

/** A project that tests a network of its own with the test kit. */
export async function kit({ folder }, check) {
  await check(
    "a network of two agents is tested, and a warm test takes less than 3 s of CPU time",
    async () => {
      await run(join(folder, "kit"), "npx", ["vitest", "run"]);
    },
  );
}
