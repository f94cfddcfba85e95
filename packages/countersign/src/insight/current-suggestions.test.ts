import { joinPolicyFiles } from "@countersign/policy/internal/policy/files/join-policy-files";
import { parsePolicyFile } from "@countersign/policy/internal/policy/files/policy-file";
import type { Policy } from "@countersign/policy/internal/policy/policy";
import { describe, expect, it } from "vitest";
import type { InsightFilter, ShortDecidedRow } from "../store/ports/insight-port.js";
import { createCurrentSuggestions } from "./current-suggestions.js";

const second = 1000;
const minute = 60 * second;
const start = Date.parse("2026-07-01");

function compiled(text: string): Policy {
  const file = { file: "policy.yaml", layer: "defaults" as const };
  const joined = joinPolicyFiles([parsePolicyFile(text, file)]);
  if (!joined.ok) throw new Error("invalid policy");
  return { ...joined.policy, files: () => [{ ...file, text }] };
}
const askAlways = compiled("version: 1\nrules:\n  - { id: refunds, tools: refund, verdict: ask }\n");
/** The same file with a rule in code. */
const hideShop: Policy = {
  ...askAlways,
  version: "with code",
  evaluate: (call) => {
    const { kind, terms } = askAlways.evaluate(call);
    return { kind, terms: { ...terms, redact: ["shop"] } };
  },
};

/** Approved refunds of one shop, named after the tenant. */
function refundsOf(tenantId: string): ShortDecidedRow[] {
  return Array.from({ length: 20 }, (_, index) => ({
    id: `apr_${tenantId}_${index}`,
    toolName: "refund",
    threadId: null,
    summary: `Refund ${index}`,
    inputJson: JSON.stringify({ amount: 10 + index, shop: tenantId }),
    policyContext: { principal: null, profile: null, mcp: null },
    verdict: "ask",
    risk: "medium",
    terms: {
      quorum: 1,
      requesterMayNotApprove: false,
      redact: [],
      redactPatterns: [],
    } as unknown as ShortDecidedRow["terms"],
    status: "executed",
    withdrawalCause: null,
    decisionType: "approve",
    decidedAt: new Date(start - 25 * 24 * 60 * minute),
    deniedByOne: false,
    undoId: null,
  }));
}

/** Suggestions by a clock that the test moves, and a policy that it replaces. */
function openSuggestions() {
  const world = {
    now: start,
    policy: askAlways,
    isDown: false,
    reads: [] as InsightFilter[],
    duringRead: () => {},
  };
  const live: Policy = {
    get version() {
      return world.policy.version;
    },
    profiles: [],
    at: (version) => [askAlways, hideShop].find((policy) => policy.version === version),
    files: () => world.policy.files?.() ?? [],
    evaluate: (call) => world.policy.evaluate(call),
    explain: (call) => world.policy.explain(call),
  };
  const suggest = createCurrentSuggestions(
    {
      now: async () => new Date(world.now),
      listDecided: async (filter) => {
        world.reads.push(filter);
        world.duringRead();
        if (world.isDown) throw new Error("gone");
        return refundsOf(filter.tenantId);
      },
    },
    live,
  );
  const conditionFor = async (tenantId: string, days = 30) =>
    (await suggest(tenantId, days))?.items.map(({ when }) => when).join();
  return { world, suggest, conditionFor };
}

describe("current suggestions", () => {
  it("are computed once for concurrent readers", async () => {
    const { world, suggest } = openSuggestions();
    const [one, other] = await Promise.all([suggest("acme", 30), suggest("acme", 30)]);
    expect(one?.items).toHaveLength(1);
    expect(other).toEqual(one);
    expect(world.reads).toEqual([{ tenantId: "acme", days: 30, limit: 2000 }]);
  });

  it("are used for a minute", async () => {
    const { world, suggest } = openSuggestions();
    const first = await suggest("acme", 30);
    world.now += minute - 1;
    expect(await suggest("acme", 30)).toBe(first);
    expect(world.reads).toHaveLength(1);
    world.now += 1;
    const second = await suggest("acme", 30);
    expect(world.reads).toHaveLength(2);
    expect(second?.testedSince).not.toEqual(first?.testedSince);
  });

  it("are computed again after the clock was set back", async () => {
    const { world, suggest } = openSuggestions();
    await suggest("acme", 30);
    world.now -= 60 * minute;
    await suggest("acme", 30);
    expect(world.reads).toHaveLength(2);
  });

  it("follow a new version of the policy at once", async () => {
    const { world, conditionFor } = openSuggestions();
    expect(await conditionFor("acme")).toContain('"acme"');
    world.policy = hideShop;
    expect(await conditionFor("acme")).toBe("");
    expect(world.reads).toHaveLength(2);
  });

  it("are those of one version, even if the policy changes during the computation", async () => {
    const { world, conditionFor } = openSuggestions();
    world.policy = hideShop;
    world.duringRead = () => {
      world.policy = askAlways;
    };
    expect(await conditionFor("acme")).toBe("");
    expect(await conditionFor("acme")).toContain('"acme"');
    world.policy = hideShop;
    expect(await conditionFor("acme")).toBe("");
    expect(world.reads).toHaveLength(2);
  });

  it("are separate for each tenant and period", async () => {
    const { world, conditionFor } = openSuggestions();
    const [acme, other] = await Promise.all([conditionFor("acme"), conditionFor("other")]);
    expect([acme?.includes('"acme"'), other?.includes('"other"')]).toEqual([true, true]);
    expect(other).not.toContain("acme");
    expect(await conditionFor("other")).toBe(other);
    await conditionFor("other", 90);
    expect(world.reads.map(({ tenantId, days }) => `${tenantId} ${days}`)).toEqual([
      "acme 30",
      "other 30",
      "other 90",
    ]);
  });

  it("are not kept if the read fails", async () => {
    const { world, suggest } = openSuggestions();
    world.isDown = true;
    await expect(suggest("acme", 30)).rejects.toThrow("gone");
    world.isDown = false;
    expect((await suggest("acme", 30))?.items).toHaveLength(1);
  });

  it("are kept for the latest 20 tenants and periods", async () => {
    const { world, suggest } = openSuggestions();
    for (let tenant = 0; tenant <= 20; tenant += 1) await suggest(`tenant-${tenant}`, 30);
    await suggest("tenant-1", 30);
    expect(world.reads).toHaveLength(21);
    await suggest("tenant-0", 30);
    expect(world.reads).toHaveLength(22);
  });
});
