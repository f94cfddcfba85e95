import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LivePolicy, openPolicy } from "@countersign/policy/files";

/** A policy of a file with these rules. */
export function policyOf(rules: readonly object[], others: object = {}): LivePolicy {
  const folder = mkdtempSync(join(tmpdir(), "countersign-policy-"));
  const file = join(folder, "policy.json");
  writeFileSync(file, JSON.stringify({ version: 1, default: "allow", rules, ...others }));
  const policy = openPolicy({ defaults: file, watch: false });
  rmSync(folder, { recursive: true });
  const [problem] = policy.problems;
  if (problem) throw new Error(JSON.stringify(problem));
  return policy;
}
