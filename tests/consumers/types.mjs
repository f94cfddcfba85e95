import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./project.mjs";

/** AgentKit and Inngest have errors in declarations of their own. Whatever else is found came with our packages. */
const ofOthers = /^(\.\.\/)*node_modules\/(@inngest\/agent-kit|inngest)\//;

/** A typed network, compiled with every check of every declaration file that it reaches. */
export async function types({ folder: apps }, check) {
  const folder = join(apps, "types");
  const combinations = [
    ["typescript-5", "nodenext"],
    ["typescript-7", "nodenext"],
    ["typescript-7", "bundler"],
  ];
  for (const [compiler, resolution] of combinations) {
    await check(`${compiler}, ${resolution}`, async () => {
      const found = await errors(folder, compiler, resolution, ["network.ts", "mcp.ts"]);
      const added = found.filter((line) => !ofOthers.test(line));
      if (added.length > 0) throw new Error(added.join("\n"));
    });
  }
  await check("the apps of the other consumers compile", async () => {
    const files = [join("..", "bundle", "app.ts"), join("..", "kit", "refunds.check.ts")];
    const found = await errors(folder, "typescript-7", "nodenext", files, { skipLibCheck: "true" });
    if (found.length > 0) throw new Error(found.join("\n"));
  });
  await check(
    "mistakes in options, in terms of a rule and in fields of the state do not compile",
    async () => {
      copyFileSync(join(folder, "mistakes.ts.txt"), join(folder, "mistakes.ts"));
      const found = await errors(folder, "typescript-7", "bundler", "mistakes.ts");
      const places = found
        .filter((line) => line.startsWith("mistakes.ts"))
        .map((line) => /\((\d+),/.exec(line)?.[1]);
      if (places.length !== 3) throw new Error(`Expected three errors, and not:\n${found.join("\n")}`);
    },
  );
}

async function errors(folder, compiler, resolution, files, more = {}) {
  const options = {
    module: resolution === "nodenext" ? "nodenext" : "esnext",
    moduleResolution: resolution,
    target: "es2022",
    lib: "es2023,dom,dom.iterable",
    skipLibCheck: "false",
    types: "node",
    ...more,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const tsc = join(folder, "..", "node_modules", compiler, "bin", "tsc");
  const args = [
    tsc,
    ...flags,
    "--strict",
    "--noEmit",
    "--exactOptionalPropertyTypes",
    "--ignoreConfig",
    ...[files].flat(),
  ];
  if (compiler === "typescript-5") args.splice(args.indexOf("--ignoreConfig"), 1);
  const output = await run(folder, process.execPath, args).catch((error) => String(error.message));
  return output.split("\n").filter((line) => /error TS\d+/.test(line));
}
