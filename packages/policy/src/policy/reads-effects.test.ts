import { describe, expect, it, vi } from "vitest";
import { definePolicy } from "./define-policy.js";
import { withoutThrows } from "./deny-on-throw.js";
import { joinPolicyFiles } from "./files/join-policy-files.js";
import { openPolicy } from "./files/live-policy.js";
import { parsePolicyFile } from "./files/policy-file.js";
import { threadRules } from "./rules/thread-rules.js";
import { ask, deny, manual, notify } from "./rules/verdict.js";

function fileOf(...rules: object[]) {
  const parsed = parsePolicyFile(JSON.stringify({ version: 1, rules }), { file: "policy.json" });
  const joined = joinPolicyFiles([parsed]);
  if (!joined.ok) throw new Error(joined.problems.map(({ message }) => message).join());
  return joined.policy;
}

describe("readsEffects of a policy", () => {
  const policy = definePolicy({
    tools: {
      plain: ask({ approvers: { roles: ["lead"] } }),
      required: notify({ withoutPreview: "ask" }),
      "computed_*": () => deny(),
    },
    profiles: { night: { tools: { nightly: manual({ withoutPreview: "deny" }) } } },
  });
  it.each([
    ["plain", false],
    ["other", false],
    ["required", true],
    ["computed_x", true],
    ["nightly", true],
  ])("says whether the verdict on a tool can depend on effects: %s: %s", (toolName, reads) => {
    expect(policy.readsEffects?.({ toolName })).toBe(reads);
  });

  const rules = [
    { tools: "some", verdict: "ask", when: "effects.size() > 10" },
    { tools: "some_*", verdict: "ask", when: "!reversible" },
    { tools: "other", verdict: "ask", when: "input.amount > 10" },
  ];
  it("sees the conditions of files and of a thread", () => {
    const reads = fileOf(...rules);
    const answers = (toolName: string) => reads.readsEffects?.({ toolName });
    expect(["some", "some_more", "other"].map(answers)).toEqual([true, true, false]);
    const own = threadRules(rules.map((rule) => ({ ...rule, tools: "other" })));
    expect(reads.readsEffects?.({ toolName: "other" }, own)).toBe(true);
    expect(reads.readsEffects?.({ toolName: "another" }, own)).toBe(false);
  });

  it("is true for every tool if the default requires a preview", () => {
    const always = definePolicy({ tools: {}, default: ask({ withoutPreview: "deny" }) });
    expect(always.readsEffects?.({ toolName: "any" })).toBe(true);
  });

  it("is that of the policy in force behind a wrapper", () => {
    const live = openPolicy({
      code: { tools: { plain: ask(), required: notify({ withoutPreview: "ask" }) } },
    });
    const guarded = withoutThrows(live, { info: vi.fn(), warn: vi.fn(), error: vi.fn() });
    for (const wrapped of [live, guarded]) {
      expect(wrapped.readsEffects?.({ toolName: "plain" })).toBe(false);
      expect(wrapped.readsEffects?.({ toolName: "required" })).toBe(true);
      const own = threadRules([{ tools: "plain", verdict: "ask", when: "!reversible" }]);
      expect(wrapped.readsEffects?.({ toolName: "plain" }, own)).toBe(true);
    }
    live.close();
  });

  it("is true for every tool if it throws, and the log does not quote what it threw", () => {
    const error = vi.fn();
    const broken = () => {
      throw new Error("the card 4111");
    };
    const logger = { info: vi.fn(), warn: vi.fn(), error };
    const guarded = withoutThrows({ ...policy, readsEffects: broken }, logger);
    expect(guarded.readsEffects?.({ toolName: "plain" })).toBe(true);
    expect(error.mock.calls).toEqual([
      [expect.stringMatching(/^The policy threw \(Error\) .* effects of plain,/), { toolName: "plain" }],
    ]);
  });
});
