import { expect, it } from "vitest";
import { warningOf } from "./card-warnings.js";

it.each([
  ["input.note", "note"],
  ["editedInput.customer.name", "customer.name"],
  ["toolName", "toolName"],
  ["effects.0.before", "effect 1.before"],
  ["input.effects.0.before", "effects.0.before"],
])("a warning about %s names the field as the card does", (path, name) => {
  const flag = { path, kind: "blanks", characters: [], count: 400 } as const;
  expect(warningOf({ ...flag, characters: [] })).toMatch(new RegExp(`^${name} has `));
});
