import { describe, expect, it } from "vitest";
import { readReasons } from "./deny-reasons.js";

describe("readReasons", () => {
  it("takes one from each line, once, without the space around it", () => {
    expect(readReasons("  Too late \n\nToo late\r\nNo budget")).toEqual({
      reasons: ["Too late", "No budget"],
    });
    expect(readReasons(" \n")).toEqual({ reasons: [] });
  });

  it("says which is too long, and when there are too many", () => {
    expect(readReasons(`Short\n${"x".repeat(201)}`).problem).toMatch(/x…” is longer than 200/);
    expect(readReasons("x".repeat(200)).problem).toBeUndefined();
    const many = Array.from({ length: 21 }, (_, index) => `Reason ${index}`);
    expect(readReasons(many.join("\n")).problem).toBe("These are 21; 20 are kept at most.");
    expect(readReasons(many.slice(1).join("\n")).problem).toBeUndefined();
  });
});
