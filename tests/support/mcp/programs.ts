import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Deed } from "./trip-server.mjs";

/** A trip server as a program over stdio: of SDK v2, or of v1, which pushes its questions. */
export function tripProgram(sdk: "v1" | "v2", env: Record<string, string> = {}) {
  const file = join(mkdtempSync(join(tmpdir(), "countersign-trips-")), "deeds");
  return {
    server: {
      command: process.execPath,
      args: [fileURLToPath(new URL(sdk === "v1" ? "v1-server.mjs" : "trip-stdio.mjs", import.meta.url))],
      env: { DEEDS: file, STATE_KEY: randomBytes(32).toString("hex"), ...env },
    },
    deeds: (): Deed[] =>
      existsSync(file)
        ? readFileSync(file, "utf8")
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line))
        : [],
  };
}
