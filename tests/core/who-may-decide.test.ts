import { parsePolicyFile } from "@countersign/policy/files";
import { ask, definePolicy, manual } from "countersign";
import { expect, it } from "vitest";
import { openWaitingRefund } from "../support/waiting-refund.js";

it("after an escalation, anybody may still decide a call whose rule names no approvers", async () => {
  const policy = definePolicy({
    tools: { refund: ask({ timeout: "1h", escalation: [{ after: "10m", escalateTo: ["lead"] }] }) },
  });
  await using world = await openWaitingRefund({ policy });
  const { harness, approval, runId, effects } = world;
  await harness.clock.advance("11m");
  await harness.engine.idle();
  const trail = await harness.store.auditTrail("acme", approval.id);
  expect(trail.at(-1)?.type).toBe("approval.escalated");
  expect((await harness.decide(approval, "approve", "finance")).status).toBe(200);
  await harness.ended(runId);
  expect(effects).toHaveLength(1);
});

it("empty approvers deny the call when computed, and are refused when written in the policy", () => {
  const managersOf = (): string[] => [];
  const policy = definePolicy({ tools: { refund: () => ask({ approvers: { ids: managersOf() } }) } });
  const { kind, matched } = policy.explain({ toolName: "refund", input: {} });
  expect(kind).toBe("deny");
  expect(matched[0]?.because).toContain("approvers: is empty; add roles or ids");
  expect(() => definePolicy({ tools: { refund: ask({ approvers: {} }) } })).toThrow(
    /approvers: is empty; add roles or ids/,
  );
});

it("a quorum of two rules out the decision respond and the verdict manual", () => {
  const several = { quorum: 2, approvers: { roles: ["finance"] } };
  const call = { toolName: "wire", input: {} };
  const answering = definePolicy({
    tools: { wire: ask({ ...several, decisions: ["approve", "deny", "respond"] }) },
  });
  expect(answering.evaluate(call).terms.decisions).toEqual(["approve", "deny"]);
  const byHand = definePolicy({ tools: { wire: ask(several), "w*": manual() } });
  expect(byHand.explain(call)).toMatchObject({
    kind: "deny",
    terms: { reason: expect.stringContaining("which one person performs") },
  });
  expect(definePolicy({ tools: { wire: manual({ quorum: 2 }) } }).evaluate(call).kind).toBe("deny");
  const rule = { tools: ["wire"], verdict: "manual", quorum: 2 };
  const file = JSON.stringify({ version: 1, rules: [rule] });
  const parsed = parsePolicyFile(file, { file: "policy.json", layer: "defaults" });
  expect(parsed.ok ? "" : String(parsed.problems.map(({ message }) => message))).toContain("omit quorum");
});

it("a question needs one answer even when a rule for all tools has a quorum of two", () => {
  const policy = definePolicy({ tools: { "*": ask({ quorum: 2, approvers: { roles: ["lead"] } }) } });
  const question = { toolName: "request_human_input", input: {}, question: {} };
  expect(policy.evaluate(question)).toMatchObject({
    kind: "manual",
    terms: { quorum: 1, decisions: ["deny", "respond"], approvers: { roles: ["lead"] } },
  });
});
