import { describe, expect, it } from "vitest";
import { editPolicyText, type PolicyEdit } from "./edit-policy-text.js";

const narrow = (index: number, when = "it's"): PolicyEdit => ({
  kind: "condition",
  list: ["rules"],
  index,
  when,
});
const add = (after: number | undefined, list = ["rules"]): PolicyEdit => ({
  kind: "rule",
  list,
  after,
  comment: "why",
  rule: { tools: "b", verdict: "deny", approvers: { roles: ["x"] } },
});

describe("an edit of a condition", () => {
  it.each([
    [
      "adds it after the verdict",
      "rules:\n  - verdict: ask # c\n    tools: a\n",
      "rules:\n  - verdict: ask # c\n    when: 'it''s'\n    tools: a\n",
    ],
    [
      "replaces a plain one",
      "rules:\n  - when: x # c\n    verdict: ask\n",
      "rules:\n  - when: 'it''s' # c\n    verdict: ask\n",
    ],
    [
      "replaces a folded one",
      "rules:\n  - when: >\n      x\n      && y\n\n    # c\n    verdict: ask\n",
      "rules:\n  - when: 'it''s'\n\n    # c\n    verdict: ask\n",
    ],
    [
      "adds it on one line",
      "rules: [{ verdict: ask, tools: a }]\n",
      "rules: [{ verdict: ask, when: 'it''s', tools: a }]\n",
    ],
    ["adds it to JSON", '{"rules":[{"verdict":"ask"}]}', '{"rules":[{"verdict":"ask", "when": "it\'s"}]}'],
    [
      "adds a line to JSON",
      '{\n  "rules": [{\n    "tools": "a",\n    "verdict": "ask"\n  }]\n}\n',
      '{\n  "rules": [{\n    "tools": "a",\n    "verdict": "ask",\n    "when": "it\'s"\n  }]\n}\n',
    ],
    [
      "adds it to a level of supervision",
      "rules:\n- tools: a\n  supervision: confirm",
      "rules:\n- tools: a\n  supervision: confirm\n  when: 'it''s'",
    ],
    [
      "keeps line breaks of Windows",
      "rules:\r\n  - verdict: ask\r\n",
      "rules:\r\n  - verdict: ask\r\n    when: 'it''s'\r\n",
    ],
  ])("%s", (_name, text, edited) => {
    expect(editPolicyText(text, narrow(0))).toBe(edited);
  });

  it("keeps a comment within the condition", () => {
    const edited = editPolicyText("rules: [{ verdict: ask }]", narrow(0, "(a // b\n)"));
    expect(edited).toBe('rules: [{ verdict: ask, when: "(a // b\\n)" }]');
  });

  it.each([
    ["the rule is an alias", "a: &a { verdict: ask }\nrules: [*a]\n"],
    ["the condition is an alias", "a: &a x\nrules: [{ verdict: ask, when: *a }]\n"],
    ["another rule repeats the verdict", "rules:\n  - &a\n    verdict: ask\n  - *a\n"],
    ["there is no such rule", "rules: []\n"],
  ])("is not made if %s", (_name, text) => {
    expect(editPolicyText(text, narrow(0))).toBeUndefined();
  });
});

describe("a rule that is added", () => {
  const lines = (indent: string) =>
    ["# why", "- tools: b", "  verdict: deny", "  approvers: {roles: [x]}"]
      .map((line) => `${indent}${line}\n`)
      .join("");

  it.each([
    [
      "after the rule before it, ahead of the comments of the next",
      "rules:\n  - a: 1\n    b: [c] # d\n\n  # next\n  - e: 1\n",
      `rules:\n  - a: 1\n    b: [c] # d\n${lines("  ")}\n  # next\n  - e: 1\n`,
    ],
    [
      "after nested lists",
      "rules:\n- a:\n  - b:\n      c: 1\n# end\nx: 1\n",
      `rules:\n- a:\n  - b:\n      c: 1\n${lines("")}# end\nx: 1\n`,
    ],
    [
      "after a rule on one line",
      "rules:\n  - { a: 1 } # c\n  - { b: 1 }\n",
      `rules:\n  - { a: 1 } # c\n${lines("  ")}  - { b: 1 }\n`,
    ],
    [
      "at the end of a text without a last line break",
      "rules:\n  - a: 1",
      `rules:\n  - a: 1\n${lines("  ").trimEnd()}`,
    ],
    [
      "to a list on one line",
      "rules: [{ a: 1 }]\n",
      'rules: [{ a: 1 }, {"tools":"b","verdict":"deny","approvers":{"roles":["x"]}}]\n',
    ],
    [
      "to an empty list",
      "rules: []\n",
      'rules: [{"tools":"b","verdict":"deny","approvers":{"roles":["x"]}}]\n',
    ],
    [
      "to a list with a line for each rule",
      '{"rules": [\n  {"a": 1}\n]}\n',
      '{"rules": [\n  {"a": 1},\n  {"tools":"b","verdict":"deny","approvers":{"roles":["x"]}}\n]}\n',
    ],
  ])("comes %s", (_name, text, edited) => {
    expect(editPolicyText(text, add(text.includes("[]") ? undefined : 0))).toBe(edited);
  });

  it("comes last in the list of a profile", () => {
    const text = "profiles:\n  n:\n    rules:\n    - a: 1\n    - c: 1\n";
    expect(editPolicyText(text, add(undefined, ["profiles", "n", "rules"]))).toBe(text + lines("    "));
  });
});
