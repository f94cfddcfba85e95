import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { numberMarks, numberText } from "./number-text.js";

describe("numberText", () => {
  it.each([
    ["amount", 80, "80"],
    ["amount", 2400, "2,400"],
    ["amount", 49.9, "49.90"],
    ["amount", 499.99, "499.99"],
    ["amount", 499.999999999, "499.999999999"],
    ["amount", 0.1 + 0.2, "0.30000000000000004"],
    ["totalAmount", -1234.5, "-1,234.50"],
    ["amount", 1e21, "1,000,000,000,000,000,000,000"],
    ["amount", 1.25e21, "1,250,000,000,000,000,000,000"],
    ["amount", 1e-7, "0.0000001"],
    ["amount", 1e300, "1e+300"],
    ["rate", 0.1, "0.1"],
    ["rows", 5000, "5000"],
    ["rows", 1234567, "1,234,567"],
    ["orderId", 1234567, "1234567"],
    ["phone_number", 4366012345, "4366012345"],
    ["year", 2026, "2026"],
    ["x", -0, "0"],
  ])("writes %s %d as %s", (name, value, text) => {
    expect(numberText(name, value)).toBe(text);
  });

  it("writes exactly the number that is sent", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("amount", "rows", "orderId"),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (name, value) => {
          const sent: unknown = JSON.parse(JSON.stringify(value));
          expect(Number(numberText(name, value).replaceAll(",", ""))).toBe(sent);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe("numberMarks", () => {
  it.each([
    ["amount", 499.99, []],
    ["amount", 499.999999999, ["decimals"]],
    ["amount", 1e-40, ["decimals"]],
    ["amount", 1e12, []],
    ["amount", 1e12 + 1, ["large_number"]],
    ["amount", -1e21, ["large_number"]],
    ["rate", 0.123456, []],
    ["sentAt", 1_767_225_600_000, []],
    ["count", 2 ** 53, ["large_number"]],
  ] as const)("returns for %s %d the marks %j", (name, value, marks) => {
    expect(numberMarks(name, value)).toEqual(marks);
  });
});
