import { describe, expect, it } from "vitest";
import { readReasons } from "./deny-reasons.js";

describe("readReasons", () => {
  it("reads one trimmed reason per line, without duplicates", () => {
    expect(readReasons("  Too late \n\nToo late\r\nNo budget")).toEqual({
      reasons: ["Too late", "No budget"],
    });
    expect(readReasons(" \n")).toEqual({ reasons: [] });
  });

  it("reports a reason that is too long, and too many reasons", () => {
    expect(readReasons(`Short\n${"x".repeat(201)}`).problem).toMatch(/x…” is longer than 200/);
    expect(readReasons("x".repeat(200)).problem).toBeUndefined();
    const many = Array.from({ length: 21 }, (_, index) => `Reason ${index}`);
    expect(readReasons(many.join("\n")).problem).toBe("21 reasons are too many. The limit is 20.");
    expect(readReasons(many.slice(1).join("\n")).problem).toBeUndefined();
  });
});
