import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { definePolicy } from "../define-policy.js";
import { parsePolicyFile } from "../files/policy-file.js";
import { policyJsonSchema } from "../files/policy-json-schema.js";
import { formatProblem } from "../files/policy-problem.js";
import { getDisposition } from "../formats/profile-config.js";
import { threadRules } from "./thread-rules.js";
import { nameMatches, negationProblem, toolPatternSchema } from "./tool-pattern.js";
import { ask } from "./verdict.js";

/** What a file is refused for, line by line. */
function problemsOf(file: unknown, name = "policy.json"): string {
  const parsed = parsePolicyFile(typeof file === "string" ? file : JSON.stringify(file), { file: name });
  return parsed.ok ? "" : parsed.problems.map(formatProblem).join("\n");
}

function errorOf(run: () => unknown): string {
  try {
    run();
    return "";
  } catch (error) {
    return String(error);
  }
}

const ruleFile = (rule: object) => ({ version: 1, rules: [{ tools: "*", verdict: "ask", ...rule }] });
const inCondition = (pattern: string) => JSON.stringify(pattern);

/** Every place that takes a name or glob of tools, with the field that an error names. */
const places: Record<string, [refusal: (pattern: string) => string, field: (pattern: string) => string]> = {
  "tools of a rule": [(tools) => problemsOf(ruleFile({ tools })), () => "rules.0.tools"],
  "a list of tools": [(one) => problemsOf(ruleFile({ tools: ["pay", one] })), () => "rules.0.tools.1"],
  except: [(except) => problemsOf(ruleFile({ except })), () => "rules.0.except"],
  "a list of exceptions": [(one) => problemsOf(ruleFile({ except: [one] })), () => "rules.0.except.0"],
  "a rule of a profile": [
    (tools) =>
      problemsOf({ version: 1, rules: [], profiles: { night: { rules: [{ tools, verdict: "deny" }] } } }),
    () => "profiles.night.rules.0.tools",
  ],
  "a count of calls": [
    (tool) => problemsOf(ruleFile({ when: `calls(${inCondition(tool)}, "1h") > 3` })),
    () => "rules.0.when",
  ],
  "a sum of amounts": [
    (tool) => problemsOf(ruleFile({ when: `spent(${inCondition(tool)}, "amount", "1h") > 3` })),
    () => "rules.0.when",
  ],
  "a rule in code": [
    (tool) => errorOf(() => definePolicy({ tools: { [tool]: ask() } })),
    (tool) => `tools.${tool}`,
  ],
  "a function in code": [
    (tool) => errorOf(() => definePolicy({ tools: { [tool]: () => ask() } })),
    (tool) => `tools.${tool}`,
  ],
  "a profile in code": [
    (tool) => errorOf(() => definePolicy({ tools: {}, profiles: { night: { tools: { [tool]: ask() } } } })),
    (tool) => `profiles.night.tools.${tool}`,
  ],
  "a rule of a thread": [
    (tools) => errorOf(() => threadRules([{ tools, verdict: "deny" }])),
    () => "thread.rules.0",
  ],
  "tool approvals": [
    (tool) => problemsOf({ tools: { [tool]: { require_approval: true } } }, "tool-approvals.json"),
    (tool) => `tools.${tool}`,
  ],
  ...Object.fromEntries(
    ["allowlist", "denylist", "asklist"].flatMap((list) => [
      [
        `the ${list} of a profile`,
        [
          (tool: string) => problemsOf({ evaluation: { profiles: { safe: { [list]: ["pay", tool] } } } }),
          () => `evaluation.profiles.safe.${list}.1`,
        ],
      ],
      [
        `the ${list} of getDisposition`,
        [
          (tool: string) => errorOf(() => getDisposition({ [list]: [tool] }, "pay")),
          () => `profileConfig.${list}.0`,
        ],
      ],
    ]),
  ),
};

const piece = fc.constantFrom("a", "b", "_", "x1", "*", "?", "{a,b}", "[ab]");
const glob = fc
  .array(piece, { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.join(""))
  .filter((text) => !text.startsWith("?"));
const signs = fc.constantFrom("!", "!!", "!!!", "./!");
const name = fc
  .array(fc.constantFrom("a", "b", "_", "x1", "1"), { minLength: 1, maxLength: 5 })
  .map((pieces) => pieces.join(""));

describe("a leading ! in a glob", () => {
  it.each(Object.entries(places))(
    "is refused in %s, with the field and what to write",
    (_place, [refusal, field]) => {
      fc.assert(
        fc.property(signs, glob, (sign, rest) => {
          const pattern = sign + rest;
          const text = refusal(pattern);
          expect(text).toContain(`${field(pattern)}: `);
          expect(text).toMatch(/must not begin with "!"; write "|without "!"; name each tool/);
        }),
        { numRuns: 30 },
      );
    },
  );

  it.each(Object.entries(places))("is not that of !(…), which is accepted in %s", (_place, [refusal]) => {
    expect(refusal("!(a|b_*)")).toBe("");
  });

  it("is answered with a glob that matches what the negated one matches elsewhere", () => {
    fc.assert(
      fc.property(signs, glob, name, (sign, rest, toolName) => {
        const [, instead = ""] = /write "([^"]+)"/.exec(negationProblem(sign + rest) ?? "") ?? [];
        expect(nameMatches(instead, toolName)).toBe(picomatch(sign + rest)(toolName));
      }),
      { numRuns: 1000 },
    );
  });

  it.each(["!", "!?", "!(a", "!(?=a)", "!a(b)", "!!(a)", "!a)"])(
    "is refused in the odd glob %s",
    (pattern) => {
      expect(negationProblem(pattern)).toBe('must not begin with "!", except in a glob such as "!(time__*)"');
    },
  );

  it("is refused even in a rule whose format has let it pass", () => {
    expect(() => nameMatches("!pay", "refund")).toThrow(
      expect.objectContaining({
        code: "invalid_policy",
        message: expect.stringContaining('"!pay": must not'),
      }),
    );
  });

  it("is refused by the JSON Schema that editors read", () => {
    const { rules } = policyJsonSchema().properties as Record<string, { items: { properties: object } }>;
    const { tools, except } = (rules?.items.properties ?? {}) as Record<
      string,
      { anyOf: [{ pattern: string }, { items: { pattern: string } }] }
    >;
    const patterns = [tools, except].flatMap(
      (field) => field?.anyOf.flatMap((each) => ("items" in each ? each.items.pattern : each.pattern)) ?? [],
    );
    expect(patterns).toHaveLength(4);
    for (const pattern of patterns) {
      for (const written of ["!pay", "./!pay", "!(pay", "!!pay"])
        expect(written).not.toMatch(new RegExp(pattern, "u"));
      for (const written of ["pay", "!(pay)", "{!a,b}", "a!b", "[!a]*"])
        expect(written).toMatch(new RegExp(pattern, "u"));
    }
  });

  it("gives the line of a file", () => {
    expect(
      problemsOf('version: 1\nrules:\n  - tools: ["!time__*"]\n    verdict: deny\n', "policy.yaml"),
    ).toBe(
      'policy.yaml:3:13 rules.0.tools.0: must not begin with "!"; write "!(time__*)" for every tool that time__* does not match',
    );
  });
});

it("other globs pass", () => {
  fc.assert(fc.property(glob, (pattern) => toolPatternSchema.safeParse(pattern).success));
});
