import { describe, expect, it } from "vitest";
import { someApproval } from "../testing/some-approval.js";
import { aboutPerson, peopleToChoose, peopleWithWords } from "./people-to-choose.js";

const people = [
  { id: "fin", displayName: "Fiona", roles: ["finance"] },
  { id: "abe", displayName: "Abe", roles: ["finance", "lead"] },
  { id: "sam", displayName: "Sam", roles: ["support"] },
  { id: "unknown" },
];
const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id);

describe("people to pass an approval on to", () => {
  it("are not the reader, nor who has it, nor those of whom it is known that they may not decide", () => {
    const approval = someApproval({ assigneeId: null, delegable: false });
    expect(ids(peopleToChoose(people, approval, "fin"))).toEqual(["abe", "unknown"]);
    expect(ids(peopleToChoose(people, { ...approval, assigneeId: "abe" }, "fin"))).toEqual(["unknown"]);
    const named = { ...approval, approvers: { roles: [], ids: ["sam"] } };
    expect(ids(peopleToChoose(people, named, "fin"))).toEqual(["sam", "unknown"]);
  });

  it("are all others where being given it lets them decide it", () => {
    expect(ids(peopleToChoose(people, someApproval({ delegable: true }), "fin"))).toEqual([
      "abe",
      "sam",
      "unknown",
    ]);
  });

  it("are found by words of their names, ids and roles, in any order", () => {
    expect(ids(peopleWithWords(people, "  "))).toEqual(ids(people));
    expect(ids(peopleWithWords(people, "lead ABE"))).toEqual(["abe"]);
    expect(ids(peopleWithWords(people, "finance"))).toEqual(["fin", "abe"]);
    expect(ids(peopleWithWords(people, "finance sam"))).toEqual([]);
  });

  it("are told apart by id and roles, and nothing twice", () => {
    expect(people.map(aboutPerson)).toEqual(["fin · finance", "abe · finance · lead", "sam · support", ""]);
    expect(aboutPerson({ id: "lead", displayName: "Lena", roles: ["lead"] })).toBe("lead");
  });
});
