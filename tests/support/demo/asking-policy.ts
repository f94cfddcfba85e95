import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The demo's policy, by which changes of addresses wait too: their arguments are what a person has typed. */
export const askingPolicy = () => changedPolicy("verdict: notify", "verdict: ask");

/** The demo's policy, by which a person may also give the result of a refund. */
export const respondingPolicy = () =>
  changedPolicy("decisions: [approve, edit, deny]", "decisions: [approve, edit, deny, respond]");

function changedPolicy(from: string, to: string): { POLICY_FILE: string } {
  const file = join(mkdtempSync(join(tmpdir(), "policy-")), "policy.yaml");
  const policy = readFileSync(new URL("../../../apps/demo/policy.yaml", import.meta.url), "utf8");
  writeFileSync(file, policy.replace(from, to));
  return { POLICY_FILE: file };
}

/** An address that hides and imitates. */
export const hostileAddress = {
  street: "1 Hi\u202egh Street",
  postcode: "٣456",
  city: `S\u0430lem${" ".repeat(200)}`,
  country: "DE",
};
