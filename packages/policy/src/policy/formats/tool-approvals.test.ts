import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinPolicyFiles } from "../files/join-policy-files.js";
import { parsePolicyFile } from "../files/policy-file.js";
import { readPolicyFile } from "../files/read-policy-file.js";
import type { Policy } from "../policy.js";
import { toolPatternSchema } from "../rules/tool-pattern.js";

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../../../tests/proposals/fixtures/${name}`, import.meta.url));

function policyOf(...files: ReturnType<typeof parsePolicyFile>[]): Policy {
  const joined = joinPolicyFiles(files);
  if (!joined.ok) throw new Error(JSON.stringify(joined.problems));
  return joined.policy;
}
const fromFixture = (name: string) => policyOf(readPolicyFile({ file: fixture(name) }));
const evaluate = (policy: Policy, toolName: string) => policy.evaluate({ toolName, input: {} });
const file = (value: unknown, layer: "defaults" | "overrides" = "defaults") =>
  parsePolicyFile(JSON.stringify(value), { file: `${layer}/tool-approvals.json`, layer });

describe("the example file of tool approvals", () => {
  const policy = fromFixture("tool-approvals.json");

  it.each([
    ["code-executor_run_python", ["approve", "edit", "deny"], ["*"]],
    ["code-executor_run_bash", ["approve", "edit", "deny"], ["*"]],
    ["filesystem_write_file", ["approve", "deny"], []],
  ])("asks for %s, and offers %j", (toolName, decisions, editable) => {
    const { kind, terms } = evaluate(policy, toolName);
    expect(kind).toBe("ask");
    expect(terms).toMatchObject({ decisions, timeoutMs: 300_000 });
    if (editable.length > 0) expect(terms.editable).toEqual(editable);
  });

  it("requires no approval for a tool that it does not list", () => {
    expect(evaluate(policy, "calculator_eval").kind).toBe("allow");
  });
});

describe("an example file", () => {
  it("for code review asks for Python code and offers editing", () => {
    const { kind, terms } = evaluate(
      fromFixture("tool-approvals.code-review.json"),
      "code-executor_run_python",
    );
    expect(kind).toBe("ask");
    expect(terms.decisions).toContain("edit");
  });

  it("for file protection offers to edit writes, and not deletions", () => {
    const policy = fromFixture("tool-approvals.file-protection.json");
    expect(evaluate(policy, "filesystem_delete_file").kind).toBe("ask");
    expect(evaluate(policy, "filesystem_delete_file").terms.decisions).not.toContain("edit");
    expect(evaluate(policy, "filesystem_write_file").terms.decisions).toContain("edit");
  });

  it("for strict mode asks for every tool except the one that it exempts", () => {
    const policy = fromFixture("tool-approvals.strict.json");
    expect(evaluate(policy, "calculator_eval").kind).toBe("allow");
    expect(evaluate(policy, "a_tool_from_tomorrow")).toMatchObject({
      kind: "ask",
      terms: { decisions: ["approve", "deny"], timeoutMs: 300_000 },
    });
  });
});

describe("a file of tool approvals", () => {
  it("denies other tools if it does not set require_approval_by_default, and gets a note", () => {
    const parsed = readPolicyFile({ file: fixture("tool-approvals.code-review.json") });
    expect(evaluate(policyOf(parsed), "other").kind).toBe("deny");
    expect(parsed.ok && parsed.notes).toMatchObject([
      {
        field: "",
        message: expect.stringMatching(/^does not set require_approval_by_default.*denies them instead/),
        suggestion: "set it to false to let other tools run, or to true to have people approve them",
      },
    ]);
  });

  it("allows other tools, without a note, if it sets require_approval_by_default to false", () => {
    const parsed = file({
      require_approval_by_default: false,
      tools: { a: { require_approval: true } },
    });
    expect(evaluate(policyOf(parsed), "other").kind).toBe("allow");
    expect(parsed.ok && parsed.notes).toEqual([]);
  });

  it.each([
    [{ require_approval_by_default: false }, "require_approval_by_default"],
    [
      {
        require_approval_by_default: true,
        tools: { a: { require_approval: true }, b: { require_approval: false } },
      },
      "tools.b.require_approval",
    ],
  ])("gets a note if its overrides would loosen: %j", (overrides, field) => {
    const parsed = file(overrides, "overrides");
    expect(parsed.ok && parsed.notes).toMatchObject([
      { field, message: expect.stringMatching(/^does not remove an approval that the defaults require/) },
    ]);
    const asDefaults = file(overrides);
    expect(asDefaults.ok && asDefaults.notes).toEqual([]);
  });

  it("tightens the other file, and does not loosen it, as defaults and as overrides", () => {
    const asks = {
      tools: { a: { require_approval: true, allow_edit: true }, b: { require_approval: false } },
    };
    const other = { tools: { a: { require_approval: false }, b: { require_approval: true } } };
    for (const policy of [
      policyOf(file(asks), file(other, "overrides")),
      policyOf(file(other), file(asks, "overrides")),
    ]) {
      expect(evaluate(policy, "a").kind).toBe("ask");
      expect(evaluate(policy, "b").kind).toBe("ask");
    }
    const loose = file({ require_approval_by_default: false }, "overrides");
    expect(evaluate(policyOf(file({ require_approval_by_default: true }), loose), "x").kind).toBe("ask");
  });

  it("does not offer editing if the overrides do not allow it", () => {
    const entry = (allow_edit: boolean) => ({ tools: { a: { require_approval: true, allow_edit } } });
    const { terms } = evaluate(policyOf(file(entry(true)), file(entry(false), "overrides")), "a");
    expect(terms.decisions).toEqual(["approve", "deny"]);
  });

  it("matches a star in a name literally, and gets a note about it", () => {
    const parsed = file({
      tools: { "fs_*": { require_approval: false }, "a(b)": { require_approval: false } },
    });
    const policy = policyOf(parsed);
    expect(evaluate(policy, "fs_delete").kind).toBe("deny");
    expect(evaluate(policy, "fs_*").kind).toBe("allow");
    expect(evaluate(policy, "a(b)").kind).toBe("allow");
    expect(parsed.ok && parsed.notes.map((note) => note.field)).toEqual(["tools.fs_*", "tools.a(b)", ""]);
  });

  it("matches names exactly, whatever characters they have", () => {
    const unit = fc.constantFrom(..."ab*?[]{}()!+@|\\/.,^$");
    const names = fc
      .string({ unit, minLength: 1, maxLength: 6 })
      .filter((name) => toolPatternSchema.safeParse(name).success);
    fc.assert(
      fc.property(names, names, (name, other) => {
        const policy = policyOf(file({ tools: { [name]: { require_approval: true } } }));
        expect(evaluate(policy, name).kind).toBe("ask");
        if (other !== name) expect(evaluate(policy, other).kind).toBe("deny");
      }),
      { numRuns: 500 },
    );
  });

  describe("with a key of the form <server>_<tool>", () => {
    const policy = policyOf(
      file({
        require_approval_by_default: false,
        tools: {
          "files-1_write_file": { require_approval: true, allow_edit: true },
          a_b_c: { require_approval: true },
        },
      }),
    );
    const harmless = { readOnlyHint: true };
    const kindOf = (toolName: string, server?: string, tool?: string) =>
      policy.evaluate({ toolName, input: {}, ...(server && { mcp: { server, tool, ...harmless } }) }).kind;

    it.each(["-", "__", "_", "/"])(
      "covers the tool of that server if its name has the separator %s",
      (separator) => {
        const call = {
          toolName: `files-1${separator}write_file`,
          mcp: { server: "files-1", tool: "write_file", ...harmless },
          input: {},
        };
        expect(policy.covers?.(call)).toBe(true);
        expect(policy.explain(call)).toMatchObject({
          kind: "ask",
          terms: { decisions: ["approve", "edit", "deny"], editable: ["*"], timeoutMs: 300_000 },
          matched: [{ id: "tools.files-1_write_file", because: "the tool name matches" }],
        });
      },
    );

    it("covers no tool of another server, and no tool whose name only looks like that", () => {
      expect(kindOf("files-1-write_file")).toBe("allow");
      expect(kindOf("files-1-write_file", "files")).toBe("allow");
      expect(kindOf("files-1-write_file", "files", "1-write_file")).toBe("allow");
      expect(policy.covers?.({ toolName: "files-1-write_file" })).toBe(false);
      expect(kindOf("files-1-write_file", "files-1", "write_file")).toBe("ask");
    });

    it("covers both tools if it can be split in two ways", () => {
      expect(kindOf("a_b-c", "a_b", "c")).toBe("ask");
      expect(kindOf("a-b_c", "a", "b_c")).toBe("ask");
      expect(kindOf("a_b_c")).toBe("ask");
      expect(kindOf("a-b-c", "a", "b-c")).toBe("allow");
    });

    it("is the strictest of the keys that cover the tool", () => {
      const both = policyOf(
        file({ tools: { "fs-read": { require_approval: false }, fs_read: { require_approval: true } } }),
      );
      const mcp = { server: "fs", tool: "read", ...harmless };
      expect(both.evaluate({ toolName: "fs-read", input: {}, mcp }).kind).toBe("ask");
      expect(both.evaluate({ toolName: "fs-read", input: {} }).kind).toBe("allow");
    });

    it("is known if the tools are given with their servers", () => {
      const text = JSON.stringify({ tools: { fs_read: { require_approval: true } } });
      const problemsWith = (mcp?: { server: string; tool: string }) => {
        const parsed = parsePolicyFile(text, { file: "a.json", tools: [{ toolName: "fs-read", mcp }] });
        return parsed.ok ? [] : parsed.problems;
      };
      expect(problemsWith({ server: "fs", tool: "read" })).toEqual([]);
      expect(problemsWith()).toMatchObject([
        {
          message: 'unknown tool "fs_read"',
          suggestion:
            'if "fs-read" is a tool of the MCP server "fs", the key matches it: add --mcp-server fs',
        },
      ]);
    });
  });

  it.each([
    [true, "ask", 300_000],
    [false, "ask", null],
  ])(
    "gives an unlisted MCP tool that is not marked as harmless, by the default %s, the verdict %s and the timeout %s",
    (byDefault, kind, timeoutMs) => {
      const policy = policyOf(file({ require_approval_by_default: byDefault }));
      const call = { toolName: "fs-move", input: {}, mcp: { server: "fs", tool: "move" } };
      expect(policy.evaluate(call)).toMatchObject({
        kind,
        terms: { timeoutMs, decisions: ["approve", "deny"], editable: [] },
      });
    },
  );

  it.each([
    [
      { tools: { a: { require_aproval: false } } },
      "tools.a.require_aproval",
      'did you mean "require_approval"?',
    ],
    [{ tools: { a: { allow_edit: true } } }, "tools.a.require_approval", "add true or false"],
    [
      { tools: { a: { require_approval: "no" } } },
      "tools.a.require_approval",
      "in YAML 1.2 and JSON, no is a text; write false",
    ],
    [{ require_approval_by_default: 0 }, "require_approval_by_default", null],
    [
      { tools: {}, require_approval_by_defalt: true },
      "require_approval_by_defalt",
      'did you mean "require_approval_by_default"?',
    ],
  ])("is refused with %j at %s", (value, field, suggestion) => {
    const parsed = file(value);
    expect(parsed.ok ? [] : parsed.problems).toContainEqual(expect.objectContaining({ field, suggestion }));
  });

  it("is refused with a misspelt tool name if the tools are known", () => {
    const text = JSON.stringify({ tools: { filesystem_writefile: { require_approval: true } } }, null, 2);
    const parsed = parsePolicyFile(text, { file: "a.json", tools: [{ toolName: "filesystem_write_file" }] });
    expect(parsed.ok ? [] : parsed.problems).toMatchObject([
      { line: 3, field: "tools.filesystem_writefile", suggestion: 'did you mean "filesystem_write_file"?' },
    ]);
  });
});
