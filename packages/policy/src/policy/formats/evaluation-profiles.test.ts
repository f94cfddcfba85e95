import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { joinPolicyFiles } from "../files/join-policy-files.js";
import { type ParsedPolicyFile, parsePolicyFile } from "../files/policy-file.js";
import { readPolicyFile } from "../files/read-policy-file.js";

function policyOf(...files: ParsedPolicyFile[]) {
  const joined = joinPolicyFiles(files);
  if (!joined.ok) throw new Error(JSON.stringify(joined.problems));
  const { policy } = joined;
  return (profile: string | undefined, toolName: string) =>
    policy.evaluate({ toolName, input: {}, profile }).kind;
}
const file = (evaluation: unknown) =>
  parsePolicyFile(JSON.stringify({ evaluation }), { file: "bridge.json" });
const problemsOf = (parsed: ParsedPolicyFile) => (parsed.ok ? [] : parsed.problems);

describe("the example profiles", () => {
  const kind = policyOf(
    readPolicyFile({ file: fileURLToPath(new URL("../fixtures/evaluation-profiles.json", import.meta.url)) }),
  );

  it.each([
    ["safe", "time__now", "allow"],
    ["safe", "search_tools", "allow"],
    ["safe", "get_tools", "allow"],
    ["safe", "search_tools_all", "deny"],
    ["safe", "filesystem__read_file", "deny"],
    ["safe", "server/tool", "deny"],
    ["safe", "two\nlines", "deny"],
    ["safe", "two\n/lines", "deny"],
    ["safe", "..", "deny"],
    ["supervised", "server/tool", "allow"],
    ["supervised", "two\n/lines", "allow"],
    ["supervised", "filesystem__delete_tree", "deny"],
    ["supervised", "filesystem__read_file", "ask"],
    ["supervised", "swf_gitlab__merge", "ask"],
    ["supervised", "time__now", "allow"],
    [undefined, "time__now", "deny"],
    ["unheard_of", "time__now", "deny"],
  ] as const)("in %s, give the tool %s the verdict %s", (profile, toolName, expected) => {
    expect(kind(profile, toolName)).toBe(expected);
  });
});

describe("the lists of a profile", () => {
  const kind = policyOf(
    file({
      defaultProfile: "p",
      profiles: {
        p: { allowlist: ["a*", "b*"], asklist: ["ab*", "c*"], denylist: ["abc*"] },
        none: {},
        closed: { allowlist: [] },
      },
    }),
  );

  it.each([
    ["p", "abcd", "deny", "on all three lists"],
    ["p", "abx", "ask", "on the asklist and the allowlist"],
    ["p", "ax", "allow", "on the allowlist"],
    ["p", "cx", "ask", "on the asklist only, so the allowlist does not deny it"],
    ["p", "zzz", "deny", "on no list, and there is an allowlist"],
    ["none", "zzz", "allow", "on no list, and there are no lists"],
    ["closed", "zzz", "deny", "not on the empty allowlist"],
    [undefined, "zzz", "deny", "judged by the default profile, without a profile"],
    [undefined, "ax", "allow", "judged by the default profile, without a profile"],
  ] as const)("in %s, give the tool %s the verdict %s: it is %s", (profile, toolName, expected, _being) => {
    expect(kind(profile, toolName)).toBe(expected);
  });

  it("can be tightened by other layers", () => {
    const native = parsePolicyFile("version: 1\nrules: [{ tools: zzz, verdict: ask }]", {
      file: "p.yaml",
      layer: "overrides",
    });
    expect(policyOf(file({ profiles: { none: {} } }), native)("none", "zzz")).toBe("ask");
  });

  it("may contain globs with braces and character classes", () => {
    const braced = policyOf(file({ profiles: { p: { allowlist: ["{get,list}_[a-c]*"] } } }));
    expect([braced("p", "get_a"), braced("p", "list_cx"), braced("p", "get_z")]).toEqual([
      "allow",
      "allow",
      "deny",
    ]);
  });
});

describe("the code preview of the asklist's tools", () => {
  const termsWith = (evaluation: object, ...others: ParsedPolicyFile[]) => {
    const profiles = { p: { asklist: ["run"] } };
    const joined = joinPolicyFiles([file({ defaultProfile: "p", profiles, ...evaluation }), ...others]);
    if (!joined.ok) throw new Error(JSON.stringify(joined.problems));
    return joined.policy.evaluate({ toolName: "run", input: {} }).terms.codePreview;
  };

  it("is of the calls on codemode in the argument code", () => {
    expect(termsWith({})).toEqual({ field: "code", object: "codemode" });
  });

  it.each([
    [
      { field: "script.source", object: "tools" },
      { field: "script.source", object: "tools" },
    ],
    [false, null],
  ])("is with evaluation.codePreview %j of %j", (codePreview, expected) => {
    expect(termsWith({ codePreview })).toEqual(expected);
  });

  it("yields to that of a rule in another layer", () => {
    const native = parsePolicyFile(
      "version: 1\nrules: [{ tools: run, verdict: ask, codePreview: { field: script, object: tools } }]",
      { file: "p.yaml", layer: "overrides" },
    );
    expect(termsWith({}, native)).toEqual({ field: "script", object: "tools" });
  });

  it.each([
    [{ field: "code" }, "evaluation.codePreview.object"],
    [{ field: "code", objekt: "x", object: "x" }, "evaluation.codePreview.objekt"],
    [true, "evaluation.codePreview"],
  ])("may not be %j: the problem names %s", (codePreview, field) => {
    expect(problemsOf(file({ codePreview }))).toMatchObject([{ field }]);
  });
});

describe("a file of evaluation profiles", () => {
  it("gets a note for elicitationFallback allow, which never applies", () => {
    const parsed = file({
      defaultProfile: "p",
      profiles: { p: { asklist: ["x"], elicitationFallback: "allow" } },
    });
    expect(policyOf(parsed)("p", "x")).toBe("ask");
    expect(parsed.ok && parsed.notes).toMatchObject([
      {
        field: "evaluation.profiles.p.elicitationFallback",
        message: expect.stringMatching(/^"allow" never applies: .* waits in the inbox/),
        suggestion: 'remove tools that may run without approval from the list "asklist"',
      },
    ]);
  });

  it("gets a note for an allowlist, which does not suffice for tools of MCP servers", () => {
    const profiles = { p: { allowlist: ["time__now"] }, q: { allowlist: ["time__*"] } };
    const parsed = file({ defaultProfile: "p", profiles });
    const joined = joinPolicyFiles([parsed]);
    const mcp = { server: "time", tool: "now" };
    expect(joined.ok && joined.policy.evaluate({ toolName: "time__now", input: {}, mcp }).kind).toBe("ask");
    expect(parsed.ok && parsed.notes).toMatchObject([
      {
        field: "evaluation.profiles.p.allowlist",
        message: expect.stringMatching(/tool of an MCP server: people are still asked about it, unless/),
        suggestion: expect.stringContaining("mcp.trustedServers"),
      },
    ]);
    const empty = file({ defaultProfile: "p", profiles: { p: { allowlist: [], asklist: ["x"] } } });
    expect(empty.ok && empty.notes).toEqual([]);
  });

  it("denies calls without a profile if it has no defaultProfile, and gets a note that suggests one", () => {
    const parsed = file({ profiles: { p: { asklist: ["x"] } } });
    expect(policyOf(parsed)(undefined, "y")).toBe("deny");
    expect(parsed.ok && parsed.notes).toMatchObject([
      {
        field: "evaluation",
        message: expect.stringMatching(/^has no defaultProfile.*unrestricted.*denied instead/),
        suggestion: expect.stringContaining('"defaultProfile": "open"'),
      },
    ]);
    const opened = file({ defaultProfile: "open", profiles: { open: {}, p: { asklist: ["x"] } } });
    expect(policyOf(opened)(undefined, "y")).toBe("allow");
    expect(opened.ok && opened.notes).toEqual([]);
  });

  it.each(["with-dash", "", "a".repeat(33), "späť", "a b"])("may not name a profile %j", (name) => {
    expect(problemsOf(file({ profiles: { [name]: {} } }))).toMatchObject([
      { field: `evaluation.profiles.${name}`, message: "must be 1 to 32 letters, digits or underscores" },
    ]);
  });

  it("may name a profile with 32 letters, digits and underscores", () => {
    expect(file({ profiles: { ["aZ_9".repeat(8)]: {} } }).ok).toBe(true);
  });

  it.each([
    [{ profiles: { p: { allowlst: [] } } }, "evaluation.profiles.p.allowlst", 'did you mean "allowlist"?'],
    [{ profiles: { p: { denylist: "x" } } }, "evaluation.profiles.p.denylist", null],
    [{ profiels: {} }, "evaluation.profiels", 'did you mean "profiles"?'],
    [
      { profiles: { p: { elicitationFallback: "alow" } } },
      "evaluation.profiles.p.elicitationFallback",
      'did you mean "allow"?',
    ],
  ])("is refused with %j at %s", (evaluation, field, suggestion) => {
    expect(problemsOf(file(evaluation))).toMatchObject([{ field, suggestion }]);
  });

  it("must name an existing default profile, and the same one as other files", () => {
    const unknown = joinPolicyFiles([file({ defaultProfile: "sfae", profiles: { safe: {} } })]);
    expect(unknown).toMatchObject({
      ok: false,
      problems: [{ file: "bridge.json", line: 1, message: 'unknown profile "sfae"; did you mean "safe"?' }],
    });
    const profiles = { a: {}, b: {} };
    const conflicting = joinPolicyFiles([
      file({ defaultProfile: "a", profiles }),
      file({ defaultProfile: "b", profiles }),
    ]);
    expect(conflicting).toMatchObject({ ok: false, problems: [{ field: "evaluation.defaultProfile" }, {}] });
  });

  it("has its exact names checked if the tools are known, and its globs not", () => {
    const text = JSON.stringify({ evaluation: { profiles: { p: { asklist: ["serch_tools", "time__*"] } } } });
    const parsed = parsePolicyFile(text, { file: "b.json", tools: [{ toolName: "search_tools" }] });
    expect(problemsOf(parsed)).toMatchObject([
      { field: "evaluation.profiles.p.asklist.0", suggestion: 'did you mean "search_tools"?' },
    ]);
  });
});
