import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinPolicyFiles } from "../files/join-policy-files.js";
import { parsePolicyFile } from "../files/policy-file.js";
import { toolPatternSchema } from "../rules/tool-pattern.js";
import { type EvalProfileConfig, getDisposition } from "./profile-config.js";

describe("getDisposition", () => {
  const lists = { allowlist: ["a*", "b*"], asklist: ["ab*", "c*"], denylist: ["abc*"] };

  it.each([
    ["abcd", lists, "deny", "it is on all three lists"],
    ["abx", lists, "ask", "it is on the asklist and the allowlist"],
    ["ax", lists, "allow", "it is on the allowlist"],
    ["cx", lists, "ask", "it is on the asklist only"],
    ["zzz", lists, "deny", "it is not on the allowlist"],
    ["zzz", {}, "allow", "there are no lists"],
    ["zzz", { allowlist: [] }, "deny", "the allowlist is empty"],
    ["zzz", { asklist: ["c*"], denylist: ["d*"] }, "allow", "there is no allowlist"],
  ])("of %s in %j is %s: %s", (toolName, profile, expected, _why) => {
    expect(getDisposition(profile, toolName)).toBe(expected);
  });

  it("throws for a misspelled list, which could otherwise allow a tool", () => {
    const misspelled = { denyList: ["*"] } as EvalProfileConfig;
    expect(() => getDisposition(misspelled, "rm")).toThrow(/profileConfig\.denyList: Unrecognized key/);
  });

  it("agrees with the verdicts of a file with the same profile", () => {
    const piece = fc.constantFrom("a", "b", "_", "/", ".", "\n", "x1");
    const name = fc.array(piece, { minLength: 1, maxLength: 5 }).map((all) => all.join(""));
    const glob = fc
      .array(fc.oneof(piece, fc.constantFrom("*", "**", "?", "{a,b}", "[ab]", "!")), {
        minLength: 1,
        maxLength: 4,
      })
      .map((all) => all.join(""))
      .filter((text) => toolPatternSchema.safeParse(text).success);
    const list = fc.option(fc.array(glob, { maxLength: 3 }), { nil: undefined });
    const profile = fc.record({ allowlist: list, asklist: list, denylist: list });
    fc.assert(
      fc.property(profile, name, (config, toolName) => {
        const evaluation = { defaultProfile: "p", profiles: { p: config } };
        const joined = joinPolicyFiles([parsePolicyFile(JSON.stringify({ evaluation }), { file: "p.json" })]);
        if (!joined.ok) throw new Error(JSON.stringify(joined.problems));
        const { kind } = joined.policy.evaluate({ toolName, input: {} });
        expect(getDisposition(config, toolName)).toBe(kind);
      }),
      { numRuns: 500 },
    );
  });
});
