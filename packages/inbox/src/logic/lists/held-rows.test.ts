import { describe, expect, it } from "vitest";
import { heldRows } from "./held-rows.js";

describe("heldRows", () => {
  it("shows the current rows while the list is not held", () => {
    expect(heldRows(["a", "b"], ["c", "a"], false)).toEqual({ ids: ["c", "a"], newCount: 0 });
  });

  it("keeps the rows and counts new ones while the list is held", () => {
    expect(heldRows(["a", "b"], ["c", "b", "d", "a"], true)).toEqual({ ids: ["a", "b"], newCount: 2 });
  });

  it("keeps the place of removed rows", () => {
    expect(heldRows(["a", "b", "c"], ["a", "c"], true)).toEqual({ ids: ["a", "b", "c"], newCount: 0 });
  });

  it("appends what comes after all rows, such as the next page", () => {
    expect(heldRows(["a", "b"], ["a", "n", "b", "c", "d"], true)).toEqual({
      ids: ["a", "b", "c", "d"],
      newCount: 1,
    });
    expect(heldRows(["a"], ["b", "c"], true)).toEqual({ ids: ["a"], newCount: 2 });
  });

  it("shows the first rows even while the list is held", () => {
    expect(heldRows([], ["a"], true)).toEqual({ ids: ["a"], newCount: 0 });
  });
});
