import { describe, expect, it } from "vitest";
import { keyOfReason, readReasons, reasonOfKey } from "./deny-reasons.js";

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

describe("the keys of preset reasons", () => {
  const reasons = Array.from({ length: 12 }, (_, index) => `Reason ${index + 1}`);

  it("are their numbers, for the first nine", () => {
    expect(reasons.map((reason) => keyOfReason(reason, reasons))).toEqual([
      ...["1", "2", "3", "4", "5", "6", "7", "8", "9"],
      ...[undefined, undefined, undefined],
    ]);
    expect(keyOfReason("Another", reasons)).toBeUndefined();
  });

  it("choose nothing without a reason of that number", () => {
    expect(reasonOfKey("4", reasons)).toBe("Reason 4");
    expect(["0", "5", "a", "Enter", "12"].map((key) => reasonOfKey(key, reasons.slice(0, 4)))).toEqual(
      Array(5).fill(undefined),
    );
  });
});
