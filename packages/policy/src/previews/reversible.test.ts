import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reversibleMs, strictestReversible } from "./reversible.js";

const said = fc.array(fc.constantFrom(true, false, null, undefined, "30s", "10m", "1h", "7d"), {
  maxLength: 5,
});

describe("the strictest of what is said about taking a call back", () => {
  it.each([
    [[], null],
    [[null, undefined], null],
    [[null, true], true],
    [[true, "1h", "10m"], "10m"],
    [["10m", false, true], false],
  ])("of %j is %j", (values, expected) => {
    expect(strictestReversible(values)).toBe(expected);
  });

  it("is never longer than any of them, whatever their order", () => {
    fc.assert(
      fc.property(said, said, (some, more) => {
        const strictest = strictestReversible([...some, ...more]);
        expect(strictestReversible([...more, ...some])).toBe(strictest);
        for (const one of some) {
          if (one !== null && one !== undefined && strictest !== null) {
            expect(reversibleMs(strictest)).toBeLessThanOrEqual(reversibleMs(one));
          }
        }
      }),
    );
  });
});
