import { describe, expect, it } from "vitest";
import { someApproval } from "../testing/some-approval.js";
import { bulkPlan } from "./bulk-rules.js";

describe("bulkPlan", () => {
  const opened = new Map([["a", "digest-1"]]);

  it("approves only what was opened, and denies the rest too", () => {
    const plan = bulkPlan([someApproval({ id: "a" }), someApproval({ id: "b" })], opened);
    expect(plan.approvable.map(({ id }) => id)).toEqual(["a"]);
    expect(plan.deniable.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(plan.opened).toBe(1);
    expect([...plan.obstacles]).toEqual([["b", "not_opened"]]);
  });

  it("does not take arguments for opened that have changed since", () => {
    expect(bulkPlan([someApproval({ id: "a", digest: "digest-2" })], opened).approvable).toEqual([]);
  });

  it.each([
    [{ risk: "critical" as const }, "too_weighty"],
    [{ mayDecide: false }, "not_yours"],
    [{ status: "denied" as const }, "closed"],
    [{ decisions: ["respond" as const, "deny" as const] }, "not_offered"],
  ])("leaves out %j", (parts, obstacle) => {
    const plan = bulkPlan([someApproval({ id: "a", ...parts })], opened);
    expect([plan.approvable, plan.obstacles.get("a")]).toEqual([[], obstacle]);
  });

  it("denies nothing that is not the reader's to decide", () => {
    const all = [someApproval({ mayDecide: false }), someApproval({ status: "expired" })];
    expect(bulkPlan(all, opened).deniable).toEqual([]);
  });
});
