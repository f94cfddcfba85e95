import { describe, expect, it } from "vitest";
import { isFlagOf } from "./flag-text.js";

describe("isFlagOf", () => {
  it("matches the flags of a field and of its parts, but not those of other fields", () => {
    const keys = ["customer", "note"];
    expect(
      ["input.customer.note", "input.customer.note.0", "input.customer", "input.customer.notes"].map((path) =>
        isFlagOf(path, keys),
      ),
    ).toEqual([true, true, false, false]);
  });
});
