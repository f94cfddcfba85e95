import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { batchesOf } from "./batch.js";
import type { RowEdit } from "./batch-edits.js";
import { batchPlan, type Choice, mayBeApproved, planLabel } from "./batch-plan.js";

const approvals = [80, 90, 95].map((amount, at) =>
  someApproval({ id: `${at}`, input: { amount, currency: "EUR" }, editable: ["amount"] }),
);
const read = { unfolded: new Set<string>(), checked: new Set<string>(), seen: true };
const reviewed = new Map(
  approvals.map(({ id, digest }) => [id, { digest, ...read, reached: new Set(["amount", "currency"]) }]),
);

function planOf(
  choices: Choice[],
  edits: Record<string, Partial<RowEdit>> = {},
  seen = reviewed,
  of = approvals,
) {
  const all = new Map(
    Object.entries(edits).map(([id, edit]) => {
      const input = { amount: 50, currency: "EUR" };
      return [id, { input, changes: 1, problems: {}, isChecking: false, ...edit }];
    }),
  );
  const wanted = new Map(choices.map((choice, at) => [`${at}`, choice]));
  const plan = batchPlan({ approvals: of, reviewed: seen, choices: wanted, edits: all });
  const inputs = new Map([...all].map(([id, { input }]) => [id, input]));
  return { ...plan, label: planLabel(plan, batchesOf(of, inputs)) };
}

describe("batchPlan", () => {
  it("approves what is chosen as it was proposed, and edited calls with their new arguments", () => {
    const { toApprove, toEdit, toDeny, label } = planOf(["approve", "approve", "deny"], { 1: {} });
    expect(toApprove.map(({ id }) => id)).toEqual(["0"]);
    expect(toEdit).toEqual([{ approval: approvals[1], input: { amount: 50, currency: "EUR" }, changes: 1 }]);
    expect(toDeny.map(({ id }) => id)).toEqual(["2"]);
    expect(label).toBe("Approve 2 · 130 EUR · 1 changed and deny 1");
  });

  it("counts votes apart from what is decided, and adds up only that", () => {
    const forTwo = approvals.map((approval, at) =>
      at === 0 ? approval : { ...approval, quorum: 2, stillNeeded: { approvals: 3 - at, roles: [] } },
    );
    const labelOf = (...choices: Choice[]) => planOf(choices, {}, reviewed, forTwo).label;
    expect(labelOf("approve", "approve", "approve")).toBe("Approve 2 · 175 EUR, vote for 1");
    expect(labelOf("deny", "approve", "leave")).toBe("Vote for 1 and deny 1");
  });

  it("leaves open what may be approved once it was read", () => {
    const decided = approvals.map((approval, at) =>
      at === 2 ? { ...approval, status: "denied" as const } : approval,
    );
    const plan = planOf([], {}, new Map([...reviewed].slice(0, 1)), decided);
    expect(decided.map(({ id }) => mayBeApproved(plan, id))).toEqual([true, true, false]);
  });

  it("leaves out only the call whose edit is wrong, and never approves it as it was proposed", () => {
    const wrong = { problems: { amount: "Enter a number" } };
    const { toApprove, toEdit, label } = planOf(["approve", "approve", "approve"], { 1: wrong });
    expect([toApprove.map(({ id }) => id), toEdit]).toEqual([["0", "2"], []]);
    expect(label).toBe("Approve 2 · 175 EUR");
  });

  it("denies a call whose edit is wrong, as it was proposed", () => {
    const wrong = { problems: { "": "Refused" }, isChecking: true };
    const { toDeny, isChecking, label } = planOf(["leave", "deny", "leave"], { 1: wrong });
    expect([toDeny.map(({ id }) => id), isChecking, label]).toEqual([["1"], false, "Deny 1"]);
  });

  it("waits for the check of an edit that would be approved", () => {
    expect(planOf(["approve", "leave", "leave"], { 0: { isChecking: true } }).isChecking).toBe(true);
    expect(planOf(["leave", "approve", "leave"], { 0: { isChecking: true } }).isChecking).toBe(false);
  });

  it("does not take an edit for a review", () => {
    const { toApprove, toEdit, label } = planOf(["approve", "leave", "leave"], { 0: {} }, new Map());
    expect([toApprove, toEdit, label]).toEqual([[], [], ""]);
  });
});
