// Puts the generated migrations beside the built package, so that they are part of what npm publishes.
import { cpSync, rmSync } from "node:fs";

const name = process.argv[2];
if (!name) throw new Error("Usage: copy-migrations.mjs <folder under drizzle/>");
const from = new URL(`../drizzle/${name}/`, import.meta.url);
const to = new URL(`../packages/${name}/drizzle/`, import.meta.url);
rmSync(to, { recursive: true, force: true });
cpSync(from, to, { recursive: true });
