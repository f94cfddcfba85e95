import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

const main = fileURLToPath(new URL("../../packages/countersign/dist/cli/main.js", import.meta.url));

it("countersign policy diff replays a candidate over the calls of a database", async () => {
  await using database = await freshPostgres();
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  const approvals = await proposeCall(store, { calls: 3 });

  const folder = mkdtempSync(join(tmpdir(), "countersign-diff-"));
  try {
    const file = (name: string, when: string) => {
      const path = join(folder, name);
      const rule = { tools: "refund", verdict: "ask", when };
      writeFileSync(path, JSON.stringify({ version: 1, default: "allow", rules: [rule] }));
      return path;
    };
    const live = file("live.json", "input.amount > 0");
    const candidate = file("candidate.json", "input.amount > 80");
    const command = spawn(process.execPath, [
      ...[main, "policy", "diff", "--live", live, "--candidate", candidate],
      ...["--database-url", database.url, "--json", "--exit-code"],
    ]);
    const [out, err, [code]] = await Promise.all([
      text(command.stdout),
      text(command.stderr),
      once(command, "exit"),
    ]);
    expect([code, err]).toEqual([1, ""]);
    const { replayed, differences } = JSON.parse(out);
    expect(replayed).toBe(3);
    expect(differences).toEqual([
      { at: approvals[0]?.id, toolName: "refund", change: "looser", from: "ask", to: "allow", terms: [] },
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
