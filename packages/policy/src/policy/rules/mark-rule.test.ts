import { describe, expect, it } from "vitest";
import { definePolicy } from "../define-policy.js";
import type { Terms } from "./terms.js";
import { allow, ask, deny, type Verdict } from "./verdict.js";

const verdictOn = (rules: Record<string, Verdict>, marked: Terms | undefined, fallback?: Verdict) =>
  definePolicy({ tools: rules, ...(fallback && { default: fallback }) }).evaluate({
    ...{ toolName: "refund", input: {}, marked },
  });
const finance = { approvers: { roles: ["finance", "lead"] }, timeout: "1h" };

describe("a tool's own mark", () => {
  it("is a rule for the tool, so that it is not denied as a forgotten one", () => {
    expect(verdictOn({}, undefined).kind).toBe("deny");
    expect(verdictOn({}, finance)).toMatchObject({
      kind: "ask",
      terms: { approvers: { roles: ["finance", "lead"] }, timeoutMs: 3_600_000, reasons: [{ rule: "tool" }] },
    });
  });

  it("joins a default that asks", () => {
    const byDefault = verdictOn({}, finance, ask({ approvers: { roles: ["lead"] }, quorum: 2 }));
    expect(byDefault.terms).toMatchObject({ approvers: { roles: ["lead"] }, quorum: 2 });
    expect(verdictOn({}, finance, allow()).kind).toBe("ask");
  });

  it("cannot be loosened by a rule, and is tightened by one", () => {
    expect(verdictOn({ refund: allow() }, finance).kind).toBe("ask");
    expect(verdictOn({ refund: deny() }, finance).kind).toBe("deny");
    const asked = verdictOn(
      { refund: ask({ approvers: { roles: ["lead"] }, quorum: 2, timeout: "2h" }) },
      finance,
    );
    expect(asked.terms).toMatchObject({ approvers: { roles: ["lead"] }, quorum: 2, timeoutMs: 3_600_000 });
  });
});
