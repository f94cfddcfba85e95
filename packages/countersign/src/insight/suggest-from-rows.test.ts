import { joinPolicyFiles } from "@countersign/policy/internal/policy/files/join-policy-files";
import { parsePolicyFile } from "@countersign/policy/internal/policy/files/policy-file";
import type { Policy } from "@countersign/policy/internal/policy/policy";
import { describe, expect, it, vi } from "vitest";
import type { ShortDecidedRow } from "../store/ports/insight-port.js";
import { suggestFromRows } from "./suggest-from-rows.js";

const text = "version: 1\nrules:\n  - { id: refunds, tools: refund, verdict: ask }\n";
const time = { from: new Date("2026-06-01"), until: new Date("2026-07-01") };
const early = new Date("2026-06-05");
const late = new Date("2026-06-29");

function policyOf(yaml = text): Policy {
  const file = { file: "/etc/shop/policy.yaml", layer: "defaults" as const };
  const joined = joinPolicyFiles([parsePolicyFile(yaml, file)]);
  if (!joined.ok) throw new Error("invalid policy");
  return { ...joined.policy, files: () => [{ ...file, text: yaml }] };
}

let rows = 0;
function row(input: unknown, more: Partial<ShortDecidedRow> = {}, redact: string[] = []): ShortDecidedRow {
  rows += 1;
  return {
    id: `apr_${rows}`,
    toolName: "refund",
    inputJson: JSON.stringify(input),
    threadId: null,
    policyContext: { principal: null, profile: null, mcp: null },
    verdict: "ask",
    risk: "medium",
    // Rows of an earlier version have fewer terms.
    terms: {
      quorum: 1,
      requesterMayNotApprove: false,
      redact,
      redactPatterns: [],
    } as unknown as ShortDecidedRow["terms"],
    status: "executed",
    withdrawalCause: null,
    decisionType: "approve",
    decidedAt: early,
    deniedByOne: false,
    undoId: null,
    summary: `Refund ${rows}`,
    ...more,
  };
}
const refunds = (count: number, more?: Partial<ShortDecidedRow>) =>
  Array.from({ length: count }, (_, at) => row({ amount: 10 + at, shop: "north" }, more));
const suggest = (given: ShortDecidedRow[], policy = policyOf()) =>
  suggestFromRows({ policy, rows: given, time });

describe("suggestions from rows", () => {
  it("come from the first two thirds of the time, and say what they would write into which file", async () => {
    const found = await suggest([...refunds(2, { decidedAt: late }), ...refunds(20)]);
    expect(found).toMatchObject({ learned: 20, tested: 2, testedSince: new Date("2026-06-21") });
    const when = 'input.amount >= 10 && input.amount <= 29 && input.shop == "north" && size(input) == 2';
    expect(found?.items).toMatchObject([
      {
        toolName: "refund",
        verdict: "notify",
        when,
        calls: 20,
        tested: 2,
        changes: [
          {
            file: "policy.yaml",
            rule: null,
            text: `# countersign policy suggest: people approved 20 calls like this\n- id: approved-refund\n  tools: refund\n  verdict: notify\n  when: ${when}`,
          },
          { file: "policy.yaml", rule: "refunds", text: `when: '!(${when})'` },
        ],
      },
    ]);
    const last = rows;
    expect(found?.items[0]?.examples).toEqual(
      [19, 18, 17, 16, 15].map((back) => ({ id: `apr_${last - back}`, summary: `Refund ${last - back}` })),
    );
  });

  it("leave out what later calls contradict", async () => {
    const denied = row(
      { amount: 15, shop: "north" },
      { decidedAt: late, decisionType: "deny", status: "denied" },
    );
    expect((await suggest([denied, ...refunds(20)]))?.items).toEqual([]);
  });

  it("leave out a tool with a call whose arguments are long", async () => {
    expect((await suggest([row({}, { inputJson: null }), ...refunds(20)]))?.items).toEqual([]);
  });

  it("leave out values that are hidden in another call, or by the policy in force", async () => {
    const other = row({ note: "north" }, { toolName: "mail" }, ["note"]);
    expect((await suggest([other, ...refunds(20)]))?.items).toEqual([]);
    const policy = policyOf();
    const hides: Policy = {
      ...policy,
      evaluate: (call) => {
        const { kind, terms } = policy.evaluate(call);
        return { kind, terms: { ...terms, redact: ["shop"] } };
      },
    };
    expect((await suggest(refunds(20), hides))?.items).toEqual([]);
  });

  it("let the process serve others between the calls of one tool", async () => {
    const history = refunds(200);
    // The last pause is remembered by this test's clock.
    vi.resetModules();
    const { suggestFromRows: suggestSlowly } = await import("./suggest-from-rows.js");
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    let longest = 0;
    let served = now;
    const serve = () => {
      longest = Math.max(longest, now - served);
      served = now;
      serving = setImmediate(serve);
    };
    let serving = setImmediate(serve);
    const policy = policyOf();
    // Each evaluation takes a millisecond of this clock.
    const slow: Policy = {
      ...policy,
      evaluate: (call) => {
        now += 1;
        return policy.evaluate(call);
      },
    };
    await suggestSlowly({ policy: slow, rows: history, time });
    clearImmediate(serving);
    clock.mockRestore();
    expect(now - served).toBeLessThanOrEqual(10);
    expect(longest).toBeLessThanOrEqual(10);
  });

  it("are undefined for a policy without files", async () => {
    const { files: _, ...policy } = policyOf();
    expect(await suggest(refunds(20), policy)).toBeUndefined();
  });
});
