import { describe, expect, it } from "vitest";
import { heldRows } from "./held-rows.js";

describe("heldRows", () => {
  it("follows what is there while nobody is in the list", () => {
    expect(heldRows(["a", "b"], ["c", "a"], false)).toEqual({ ids: ["c", "a"], waiting: 0 });
  });

  it("moves nothing while somebody is, and counts what has come", () => {
    expect(heldRows(["a", "b"], ["c", "b", "d", "a"], true)).toEqual({ ids: ["a", "b"], waiting: 2 });
  });

  it("keeps the place of what has gone", () => {
    expect(heldRows(["a", "b", "c"], ["a", "c"], true)).toEqual({ ids: ["a", "b", "c"], waiting: 0 });
  });

  it("shows what comes first even then, when nothing was shown", () => {
    expect(heldRows([], ["a"], true)).toEqual({ ids: ["a"], waiting: 0 });
  });
});
