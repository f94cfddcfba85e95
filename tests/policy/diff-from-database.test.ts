import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { countersign } from "../support/command-line.js";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

/** Compares two policy files over calls in a database. */
async function diffOf(live: object, candidate: object, ...calls: Parameters<typeof proposeCall>[1][]) {
  await using database = await freshPostgres();
  const store = postgresStore({ client: database.postgres });
  const approvals = [];
  for (const call of calls) approvals.push(...(await proposeCall(store, call)));
  const folder = mkdtempSync(join(tmpdir(), "countersign-diff-"));
  try {
    const file = (name: string, content: object) => {
      const path = join(folder, name);
      writeFileSync(path, JSON.stringify(content));
      return path;
    };
    const files = ["--live", file("live.json", live), "--candidate", file("candidate.json", candidate)];
    const { code, out, err } = await countersign([
      ...["policy", "diff", ...files],
      ...["--database-url", database.url, "--json", "--exit-code"],
    ]);
    expect([code, err]).toEqual([1, ""]);
    return { approvals, ...JSON.parse(out) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it("countersign policy diff replays a candidate over the calls of a database", async () => {
  const policy = (when: string) => ({
    version: 1,
    default: "allow",
    rules: [{ tools: "refund", verdict: "ask", when }],
  });
  const { approvals, replayed, differences } = await diffOf(
    policy("input.amount > 0"),
    policy("input.amount > 80"),
    { calls: 3 },
  );
  expect(replayed).toBe(3);
  expect(differences).toEqual([
    { at: approvals[0]?.id, toolName: "refund", change: "looser", from: "ask", to: "allow", terms: [] },
  ]);
});

it("countersign policy diff replays calls with the effects that their preview found", async () => {
  const when = "effects.size() == 1 && reversible";
  const preview = { effectsJson: '[{"target":"order A-1"}]', stateHash: "", reversible: "30m" };
  const { approvals, replayed, differences } = await diffOf(
    { version: 1, default: "ask", rules: [] },
    { version: 1, default: "ask", rules: [{ tools: "refund", verdict: "allow", when }] },
    { terms: { preview } },
    { terms: { preview: { ...preview, effectsJson: "[]" } } },
    { terms: { preview: { failed: "late" } } },
    {},
  );
  expect(replayed).toBe(4);
  expect(differences).toMatchObject([{ at: approvals[0]?.id, from: "ask", to: "allow" }]);
});

it("countersign policy diff finds the tools of MCP servers by the keys of tool approvals", async () => {
  const mcp = { server: "files", tool: "write_file", destructiveHint: false };
  const { differences } = await diffOf(
    { require_approval_by_default: false },
    { require_approval_by_default: false, tools: { files_write_file: { require_approval: true } } },
    { toolName: "files-write_file", mcp },
    { toolName: "files-write_file" },
  );
  expect(differences).toMatchObject([{ toolName: "files-write_file", from: "allow", to: "ask" }]);
});
