import { describe, expect, it } from "vitest";
import { grouped } from "./groups.js";

const threads: Record<string, string | null> = { a1: "a", b1: "b", a2: "a", n1: null, n2: null, a3: "a" };

describe("grouped", () => {
  it("puts the calls of a conversation together, where the first of them stood", () => {
    const items = grouped(["b1", "a1", "n1", "a2", "n2", "a3"], (id) => threads[id] ?? null);
    expect(items.map((item) => (item.kind === "group" ? item.ids.length : item.id))).toEqual([
      "b1",
      3,
      "a1",
      "a2",
      "a3",
      "n1",
      "n2",
    ]);
    expect(items.filter((item) => item.kind === "call" && item.grouped)).toHaveLength(3);
  });

  it("shows a single call of a conversation, and calls without one, by themselves", () => {
    expect(grouped(["a1", "n1"], (id) => threads[id] ?? null).every(({ kind }) => kind === "call")).toBe(
      true,
    );
  });
});
