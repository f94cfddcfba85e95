import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { assignablePeople, peopleMatching, personDetails } from "./assignees.js";

const people = [
  { id: "fin", displayName: "Fiona", roles: ["finance"] },
  { id: "abe", displayName: "Abe", roles: ["finance", "lead"] },
  { id: "sam", displayName: "Sam", roles: ["support"] },
  { id: "unknown" },
];
const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id);

describe("assignable people", () => {
  it("exclude the reader, the assignee and people who cannot decide", () => {
    const approval = someApproval({ assigneeId: null, delegable: false });
    expect(ids(assignablePeople(people, approval, "fin"))).toEqual(["abe", "unknown"]);
    expect(ids(assignablePeople(people, { ...approval, assigneeId: "abe" }, "fin"))).toEqual(["unknown"]);
    const named = { ...approval, approvers: { roles: [], ids: ["sam"] } };
    expect(ids(assignablePeople(people, named, "fin"))).toEqual(["sam", "unknown"]);
  });

  it("exclude whoever asked if a rule says that they may not approve", () => {
    const asked = someApproval({ requesterId: "abe", delegable: true, reasons: [] });
    expect(ids(assignablePeople(people, asked, "fin"))).toEqual(["abe", "sam", "unknown"]);
    const reasons = [{ rule: "money", reason: null, adds: { requesterMayNotApprove: true as const } }];
    expect(ids(assignablePeople(people, { ...asked, reasons }, "fin"))).toEqual(["sam", "unknown"]);
  });

  it("include everyone else if the approval is delegable", () => {
    expect(ids(assignablePeople(people, someApproval({ delegable: true }), "fin"))).toEqual([
      "abe",
      "sam",
      "unknown",
    ]);
  });

  it("match words of their names, ids and roles in any order", () => {
    expect(ids(peopleMatching(people, "  "))).toEqual(ids(people));
    expect(ids(peopleMatching(people, "lead ABE"))).toEqual(["abe"]);
    expect(ids(peopleMatching(people, "finance"))).toEqual(["fin", "abe"]);
    expect(ids(peopleMatching(people, "finance sam"))).toEqual([]);
  });

  it("are described by their ids and roles, without a role that equals the id", () => {
    expect(people.map(personDetails)).toEqual(["fin · finance", "abe · finance · lead", "sam · support", ""]);
    expect(personDetails({ id: "lead", displayName: "Lena", roles: ["lead"] })).toBe("lead");
  });
});
