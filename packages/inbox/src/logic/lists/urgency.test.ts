import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { byUrgency } from "./urgency.js";

const until = (time: string) => `2026-01-02T${time}.000Z`;
const ids = (...approvals: ReturnType<typeof someApproval>[]) =>
  approvals.sort(byUrgency).map(({ id }) => id);

describe("byUrgency", () => {
  it("sorts by expiry, with approvals that never expire last", () => {
    expect(
      ids(
        someApproval({ id: "never", expiresAt: null, risk: "critical" }),
        someApproval({ id: "later", expiresAt: until("04:00:00") }),
        someApproval({ id: "soon", expiresAt: until("03:10:00"), risk: "low" }),
      ),
    ).toEqual(["soon", "later", "never"]);
  });

  it("sorts by risk within the same minute, and then by age", () => {
    expect(
      ids(
        someApproval({ id: "low", expiresAt: until("03:10:01"), risk: "low" }),
        someApproval({ id: "high", expiresAt: until("03:10:59"), risk: "high" }),
        someApproval({
          id: "older",
          expiresAt: until("03:10:30"),
          risk: "low",
          createdAt: until("01:00:00"),
        }),
      ),
    ).toEqual(["high", "older", "low"]);
  });

  it("sorts equally urgent approvals that never expire by id", () => {
    expect(
      ids(someApproval({ id: "b", expiresAt: null }), someApproval({ id: "a", expiresAt: null })),
    ).toEqual(["a", "b"]);
  });
});
