import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { batchPlan, type Choice, decidedTogether, mayBeApproved, planLabel } from "./batch-plan.js";

const approvals = [80, 90, 95].map((amount, at) =>
  someApproval({ id: `${at}`, input: { amount, currency: "EUR" }, editable: ["amount"] }),
);
const read = { unfolded: new Set<string>(), checked: new Set<string>(), seen: true };
const reviewed = new Map(
  approvals.map(({ id, digest }) => [id, { digest, ...read, reached: new Set(["amount", "currency"]) }]),
);

function planOf(choices: Choice[], { changed = [] as string[], seen = reviewed, of = approvals } = {}) {
  const wanted = new Map(choices.map((choice, at) => [`${at}`, choice]));
  const plan = batchPlan(of, seen, wanted, new Set(changed));
  return { ...plan, label: planLabel(plan) };
}

const forTwo = approvals.map((approval, at) =>
  at === 0 ? approval : { ...approval, quorum: 2, stillNeeded: { approvals: 3 - at, roles: [] } },
);

describe("batchPlan", () => {
  it("approves and denies what is chosen", () => {
    const { toApprove, toDeny, label } = planOf(["approve", "approve", "deny"]);
    expect(toApprove.map(({ id }) => id)).toEqual(["0", "1"]);
    expect(toDeny.map(({ id }) => id)).toEqual(["2"]);
    expect(label).toBe("Approve 2 · 170 EUR and deny 1");
  });

  it("counts votes apart from what is decided, and adds up only that", () => {
    const labelOf = (...choices: Choice[]) => planOf(choices, { of: forTwo }).label;
    expect(labelOf("approve", "approve", "approve")).toBe("Approve 2 · 175 EUR, vote for 1");
    expect(labelOf("deny", "approve", "leave")).toBe("Vote for 1 and deny 1");
  });

  it("adds up what is approved of one tool, also beside others that are denied", () => {
    const mail = someApproval({ id: "m", toolName: "email", input: { amount: 7 } });
    const both = [...approvals, mail];
    const choices: Choice[] = ["approve", "approve", "leave"];
    expect(planOf(choices, { of: both }).label).toBe("Approve 2 · 170 EUR");
  });

  it("leaves open what may be approved once it was read", () => {
    const decided = approvals.map((approval, at) =>
      at === 2 ? { ...approval, status: "denied" as const } : approval,
    );
    const plan = planOf([], { seen: new Map([...reviewed].slice(0, 1)), of: decided });
    expect(decided.map(({ id }) => mayBeApproved(plan, id))).toEqual([true, true, false]);
  });

  it("never approves a call for which the reader has typed changes, and can deny it", () => {
    const { toApprove, obstacles, label } = planOf(["approve", "approve", "approve"], { changed: ["1"] });
    expect([toApprove.map(({ id }) => id), obstacles.get("1")]).toEqual([["0", "2"], "changed"]);
    expect(label).toBe("Approve 2 · 175 EUR");
    expect(planOf(["leave", "deny", "leave"], { changed: ["1"] }).label).toBe("Deny 1");
  });
});

describe("decidedTogether", () => {
  const held = (type: "approve" | "deny") => ({
    ...{ type, decidedBy: "finance", reason: null, until: "2026-01-02T03:04:10.000Z" },
  });

  it("counts decisions, votes and denials, and adds up only what is approved", () => {
    const made = approvals.map((approval, at) => ({
      ...approval,
      held: held(at === 2 ? "deny" : "approve"),
    }));
    expect(decidedTogether(made as typeof approvals)).toBe("2 approved · 170 EUR, 1 denied");
    const now = approvals.map((approval, at) =>
      at === 0 ? { ...approval, status: "approved" as const } : approval,
    );
    expect(decidedTogether(now)).toBe("1 approved · 80 EUR, 2 votes");
  });
});
