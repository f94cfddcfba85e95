import { join } from "node:path";
import { run } from "./project.mjs";

/** Two new projects, in which nothing is edited after `countersign init`. They share what is installed above them. */
export async function init({ folder }, check) {
  const inProject = (name) => (command, args, env) =>
    run(join(folder, name), join(folder, "node_modules", ".bin", command), args, env);
  await check("init in a Next project: its test passes, and next build needs no database", async () => {
    const next = inProject("next");
    await next("countersign", ["init", "--yes"]);
    await next("vitest", ["run"]);
    await next("next", ["build"], { DATABASE_URL: "", NEXT_TELEMETRY_DISABLED: "1" });
  });
  await check("init in a project of ai 7 on Node 22: it compiles, and its test passes", async () => {
    const ai = inProject("ai");
    await ai("countersign", ["init", "--yes"]);
    await ai("tsc", ["--noEmit"]);
    await ai("node", ["--import", "tsx", "--test", "countersign.test.ts"]);
  });
}
