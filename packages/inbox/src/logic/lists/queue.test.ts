import { describe, expect, it } from "vitest";
import { neighbour } from "./queue.js";

const ids = ["a", "b", "c", "d"];
const open = (id: string) => id !== "c";

describe("neighbour", () => {
  it.each([
    [{ id: "a", index: 0 }, 1, "b"],
    [{ id: "b", index: 1 }, 1, "d"],
    [{ id: "d", index: 3 }, 1, undefined],
    [{ id: "d", index: 3 }, -1, "b"],
    [{ id: "a", index: 0 }, -1, undefined],
    [undefined, 1, "a"],
    [undefined, -1, "d"],
    // It stood between a and b, and has left.
    [{ id: "x", index: 1 }, 1, "b"],
    [{ id: "x", index: 1 }, -1, "a"],
    [{ id: "x", index: 4 }, 1, undefined],
    [{ id: "x", index: 0 }, -1, undefined],
  ] as const)("is, from %j by %i, %s", (from, step, expected) => {
    expect(neighbour(ids, open, from, step)).toBe(expected);
  });
});
