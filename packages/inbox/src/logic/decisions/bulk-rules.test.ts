import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { bulkPlan, obstacleText } from "./bulk-rules.js";

describe("bulkPlan", () => {
  const all = {
    unfolded: new Set<string>(),
    checked: new Set<string>(),
    reached: new Set(["orderId", "amount"]),
    seen: true,
  };
  const opened = new Map([["a", { digest: "digest-1", ...all }]]);

  it("allows approving only opened approvals, and denying all of them", () => {
    const plan = bulkPlan([someApproval({ id: "a" }), someApproval({ id: "b" })], opened);
    expect(plan.approvable.map(({ id }) => id)).toEqual(["a"]);
    expect(plan.deniable.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(plan.opened).toBe(1);
    expect([...plan.obstacles]).toEqual([["b", "not_opened"]]);
  });

  it("excludes approvals that were not fully reviewed, and names what is missing", () => {
    const long = someApproval({ id: "a", input: { orderId: "x".repeat(500), amount: 80 } });
    const plan = bulkPlan([long], opened);
    expect([plan.approvable, plan.obstacles.get("a"), plan.opened]).toEqual([[], "unreviewed", 1]);
    expect(obstacleText("unreviewed", long, opened.get("a"))).toBe("Review again: 1 long text not opened");
  });

  it("requires a new review if the arguments have changed", () => {
    expect(bulkPlan([someApproval({ id: "a", digest: "digest-2" })], opened).approvable).toEqual([]);
  });

  it.each([
    [{ risk: "critical" as const }, "critical"],
    [{ checks: [{ name: "balance", ok: false, message: null }] }, "check_failed"],
    [{ preview: { failed: "threw" as const, effects: [], reversible: null } }, "no_preview"],
    [{ preview: { failed: null, effects: [{ target: "order A-1" }], reversible: null } }, "unreviewed"],
    [{ mayDecide: false }, "not_yours"],
    [{ status: "denied" as const }, "closed"],
    [{ stop: { id: "stp_1", tool: "*", reason: "Why", engagedBy: "lead", engagedAt: "" } }, "stopped"],
    [{ decisions: ["respond" as const, "deny" as const] }, "not_offered"],
  ])("excludes an approval with %j from approving", (parts, obstacle) => {
    const plan = bulkPlan([someApproval({ id: "a", ...parts })], opened);
    expect([plan.approvable, plan.obstacles.get("a")]).toEqual([[], obstacle]);
  });

  it("excludes expired approvals and those of other approvers from denying", () => {
    const all = [someApproval({ mayDecide: false }), someApproval({ status: "expired" })];
    expect(bulkPlan(all, opened).deniable).toEqual([]);
  });
});
