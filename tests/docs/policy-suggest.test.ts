import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const page = readFileSync(new URL("../../docs/policy-suggest.md", import.meta.url), "utf8");
const main = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
const dayMs = 86_400_000;

const block = (language: string) => page.split(`\`\`\`${language}\n`)[1]?.split("```")[0] ?? "";

let count = 0;
/** A call that was decided some days ago. */
function decided(daysAgo: number, tool: string, input: object, decision = "approve"): string {
  count += 1;
  const decidedAt = new Date(Date.now() - daysAgo * dayMs);
  return JSON.stringify({ id: `apr_${count}`, tool, input, decision, decidedAt });
}

const many = (calls: number, one: (index: number) => string) =>
  Array.from({ length: calls }, (_, i) => one(i));
const refund = (amount: number) => ({ orderId: "A-1001", amount, currency: "EUR" });

/** Refunds that people approved up to an amount, e-mails whose texts differ, and text messages that they approved no longer. */
const history = [
  ...many(44, (i) => decided(60, "issue_refund", refund(5 + i / 2))),
  ...many(3, (i) => decided(50, "issue_refund", refund(40 + i), "deny")),
  ...many(31, (i) =>
    decided(45, "send_email", { to: "ada@example.com", subject: `Order ${i}`, body: `Dear ${i}` }),
  ),
  ...many(6, (i) =>
    decided(40, "send_email", { to: "all@example.com", subject: `News ${i}`, body: `Hi ${i}` }, "deny"),
  ),
  ...many(22, () => decided(40, "send_sms", { template: "shipped" })),
  ...many(41, (i) => decided(7, "issue_refund", refund(6 + i / 4))),
  ...many(9, () => decided(6, "send_sms", { template: "shipped" })),
  decided(2, "send_sms", { template: "shipped" }, "deny"),
];

it("docs/policy-suggest.md shows what policy suggest prints", () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-suggest-"));
  try {
    writeFileSync(join(folder, "policy.yaml"), block("yaml"));
    writeFileSync(join(folder, "calls.jsonl"), history.join("\n"));
    const argv = [main, "policy", "suggest", "policy.yaml", "--calls", "calls.jsonl"];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: folder, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    const printed = stdout.replace(/(?<=decided before )\d{4}-\d\d-\d\d/, "2026-10-24");
    expect(block("console")).toBe(`$ npx countersign policy suggest policy.yaml\n${printed}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
