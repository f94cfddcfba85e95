import { describe, expect, it } from "vitest";
import { someApproval } from "../../testing/some-approval.js";
import { listed, namesOn } from "./card-people.js";

/** What a card of a call that Ada and Bob decide calls each of them. */
function called(names: Record<string, string>) {
  const approval = someApproval({ approvers: { roles: [], ids: ["ada-1", "bob-2"] } });
  const nameOf = namesOn(approval, new Map(Object.entries(names)));
  return [nameOf("ada-1"), nameOf("bob-2")];
}

describe("a person on a card", () => {
  it("has their name, or their id if the name is unknown", () => {
    expect(called({ "ada-1": "Ada Lovelace" })).toEqual(["Ada Lovelace", "bob-2"]);
    expect(called({ "ada-1": "  " })).toEqual(["ada-1", "bob-2"]);
  });

  it.each(["María-José O’Brien", "Ludwig van B. Beethoven", "山田太郎", "Αθηνά", "José Ó Súilleabháin"])(
    "keeps the name %s as it is",
    (name) => expect(called({ "ada-1": name })[0]).toBe(name),
  );

  it.each([
    "Ada and Bob",
    "Ada, Bob",
    "Ada OR Bob",
    "Ada. It ran",
    "Ada (lead)",
    "2 of 2 approved",
    "bob-2",
    "lead",
  ])("has a name that could be words of the card or an id in quotation marks: %s", (name) =>
    expect(called({ "ada-1": name })[0]).toBe(`“${name}”`),
  );

  it("cannot end the quotation marks of a name", () => {
    expect(called({ "ada-1": "x” and “Bob" })[0]).toBe('“x" and "Bob”');
  });

  it.each(["Fi\u043ena", "Ada\u202e", "Ada\u200bLovelace", "Ada\nApproved", "\u{E0041}Ada"])(
    "has their id if the name has deceptive characters: %j",
    (name) => expect(called({ "ada-1": name })[0]).toMatch(/^ada-1$|^“Ada⏎Approved”$/),
  );

  it("has their id beside a name that others have too", () => {
    expect(called({ "ada-1": "Ada", "bob-2": "ADA" })).toEqual(["Ada (ada-1)", "ADA (bob-2)"]);
  });

  it("has a name of limited length", () => {
    expect(called({ "ada-1": "A".repeat(5_000) })[0]?.length).toBeLessThan(130);
  });
});

it("a long list of people is shortened", () => {
  expect(listed(["A"], "or")).toBe("A");
  expect(listed(["A", "B", "C"], "or")).toBe("A, B or C");
  expect(
    listed(
      Array.from({ length: 30 }, (_, at) => `P${at}`),
      "and",
    ),
  ).toMatch(/^P0, .*, P9 and 20 others$/);
});
