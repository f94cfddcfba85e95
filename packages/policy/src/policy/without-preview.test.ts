import { describe, expect, it } from "vitest";
import { definePolicy } from "./define-policy.js";
import { joinPolicyFiles } from "./files/join-policy-files.js";
import { parsePolicyFile } from "./files/policy-file.js";
import { threadRules } from "./rules/thread-rules.js";
import { allow, notify } from "./rules/verdict.js";

const reason = "The call has no preview of its effects";
const seen = { effects: [] };

function fileOf(...rules: object[]) {
  const parsed = parsePolicyFile(JSON.stringify({ version: 1, rules }), { file: "policy.json" });
  const joined = joinPolicyFiles([parsed]);
  if (!joined.ok) throw new Error(joined.problems.map(({ message }) => message).join());
  return joined.policy;
}
const call = { toolName: "purge", input: {} };
const purge = (...rules: object[]) => fileOf(...rules.map((rule) => ({ tools: "purge", ...rule })));

describe("withoutPreview", () => {
  it.each([
    ["allow", "ask", "ask"],
    ["notify", "ask", "ask"],
    ["ask", "ask", "ask"],
    ["manual", "ask", "manual"],
    ["deny", "ask", "deny"],
    ["allow", "deny", "deny"],
    ["ask", "deny", "deny"],
    ["manual", "deny", "deny"],
  ])("turns the verdict %s with %s into %s, only if the call has no preview", (verdict, least, kind) => {
    const policy = purge({ verdict, withoutPreview: least });
    expect(policy.evaluate(call).kind).toBe(kind);
    expect(policy.evaluate({ ...call, effects: null }).kind).toBe(kind);
    expect(policy.evaluate({ ...call, ...seen }).kind).toBe(verdict);
  });

  it("counts from each rule that matches, the strictest first", () => {
    const policy = purge(
      { verdict: "allow", withoutPreview: "ask" },
      { verdict: "allow" },
      { verdict: "notify", when: "input.all == true", withoutPreview: "deny" },
    );
    expect(policy.evaluate({ ...call, input: { all: false } })).toMatchObject({
      kind: "ask",
      terms: { withoutPreview: "ask" },
    });
    expect(policy.evaluate({ ...call, input: { all: true } })).toMatchObject({
      kind: "deny",
      terms: { withoutPreview: "deny", reason },
    });
    expect(policy.evaluate({ ...call, ...seen, input: { all: true } })).toMatchObject({
      kind: "notify",
      terms: { withoutPreview: "deny" },
    });
    expect(purge({ verdict: "ask" }).evaluate(call).terms.withoutPreview).toBeNull();
  });

  it("lets everybody approve or deny, for the reason that there is no preview", () => {
    const { terms } = purge({ id: "mine", verdict: "allow", withoutPreview: "ask" }).evaluate(call);
    expect(terms).toMatchObject({
      approvers: { roles: [], ids: [] },
      decisions: ["approve", "deny"],
      quorum: 1,
      reason,
      reasons: [{ rule: "mine", reason, adds: {} }],
    });
  });

  it("keeps the texts, the approvers and the limits of its rule, and what it hides", () => {
    const { terms } = purge({
      verdict: "notify",
      withoutPreview: "ask",
      summary: "Purge {{table}}",
      resultSummary: "Purged {{result.rows}} rows",
      reason: "Rows are gone for good",
      approvers: { roles: ["dba"] },
      quorum: 2,
      requesterMayNotApprove: true,
      timeout: "1m",
      redact: ["secret"],
      notify: ["slack"],
      codePreview: { field: "sql", object: "db" },
    }).evaluate(call);
    expect(terms).toMatchObject({
      summary: "Purge {{table}}",
      resultSummary: "Purged {{result.rows}} rows",
      reason: `${reason}. Rows are gone for good`,
      approvers: { roles: ["dba"] },
      quorum: 2,
      requesterMayNotApprove: true,
      timeoutMs: 60_000,
      redact: ["secret"],
      notify: ["slack"],
      codePreview: { field: "sql", object: "db" },
    });
  });

  it("neither lets anybody edit the call nor lets a grant cover it because of its rule", () => {
    const loose = {
      verdict: "allow",
      withoutPreview: "ask",
      decisions: ["approve", "edit", "respond"],
      editable: ["table"],
      grantable: ["team"],
      idempotent: true,
      delegable: true,
      denials: 3,
    };
    const strict = { verdict: "ask", approvers: { roles: ["dba"] } };
    const expected = {
      decisions: ["approve", "deny"],
      editable: [],
      grantable: [],
      idempotent: false,
      delegable: false,
      denials: 1,
    };
    expect(purge(loose).evaluate(call).terms).toMatchObject(expected);
    expect(purge(loose, strict).evaluate(call).terms).toMatchObject({
      ...expected,
      approvers: strict.approvers,
    });
  });

  it("denies a call that nobody could decide", () => {
    const rules = ["dba", "lead"].map((role) => ({
      verdict: "allow",
      withoutPreview: "ask",
      approvers: { roles: [role] },
    }));
    expect(purge(...rules).evaluate(call).kind).toBe("deny");
    expect(purge(...rules).evaluate({ ...call, ...seen }).kind).toBe("allow");
  });

  it("is explained as a second match of its rule", () => {
    const { kind, matched } = purge({ id: "mine", verdict: "allow", withoutPreview: "deny" }).explain(call);
    expect(kind).toBe("deny");
    expect(matched).toEqual([
      { id: "mine", layer: "defaults", verdict: "allow", because: "the tool name matches" },
      {
        id: "mine",
        layer: "defaults",
        verdict: "deny",
        because: "withoutPreview is deny, and the call has no preview",
        reason,
      },
    ]);
  });

  it("is possible in code, in a function, in a default and in a thread's rules", () => {
    const policy = definePolicy({
      tools: {
        notified: notify({ withoutPreview: "ask" }),
        computed: () => notify({ withoutPreview: "deny" }),
        open: allow(),
      },
      default: notify({ withoutPreview: "deny" }),
    });
    const kinds = (facts: object) =>
      ["notified", "computed", "open", "other"].map(
        (toolName) => policy.evaluate({ toolName, input: {}, ...facts }).kind,
      );
    expect(kinds({})).toEqual(["ask", "deny", "allow", "deny"]);
    expect(kinds(seen)).toEqual(["notify", "notify", "allow", "notify"]);
    const rules = threadRules([{ tools: "open", verdict: "ask", withoutPreview: "deny" }]);
    const thread = { id: "t", rules };
    expect(policy.evaluate({ toolName: "open", input: {}, thread })).toMatchObject({
      kind: "deny",
      terms: { reason },
    });
    expect(policy.evaluate({ toolName: "open", input: {}, thread, ...seen }).kind).toBe("ask");
  });

  it("does not concern a question, which changes nothing", () => {
    const question = { toolName: "request_human_input", input: {}, question: {} };
    const policy = definePolicy({ tools: { "*": notify({ withoutPreview: "deny" }) } });
    expect(policy.evaluate(question).kind).toBe("manual");
    expect(policy.evaluate({ ...question, question: undefined }).kind).toBe("deny");
  });

  it.each(["allow", "notify", "manual", true, null])("is ask or deny, and not %s", (withoutPreview) => {
    expect(() => purge({ verdict: "allow", withoutPreview })).toThrow();
  });
});
