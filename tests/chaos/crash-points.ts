import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = join(dirname(fileURLToPath(import.meta.resolve("countersign"))));

/** Points that the API's process passes; the app's process passes all others. */
const inApi = new Set(["before-decision", "after-decision", "after-wake-up"]);

export interface CrashPoint {
  name: string;
  role: "app" | "api";
}

/** Every named crash point of the product's code, as its modules name them. */
export function crashPoints(): CrashPoint[] {
  const names = new Set<string>();
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".js")) continue;
    for (const [, name] of readFileSync(join(dist, file), "utf8").matchAll(/crashPoint\("([^"]+)"\)/g)) {
      if (name) names.add(name);
    }
  }
  return [...names].sort().map((name) => ({ name, role: inApi.has(name) ? "api" : "app" }));
}
