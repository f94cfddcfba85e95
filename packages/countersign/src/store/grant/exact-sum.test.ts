import fc from "fast-check";
import { expect, it } from "vitest";
import { exactSum, sumIsWithin } from "./exact-sum.js";

it.each<{ amounts: string[]; total: string; within: boolean; is: string }>([
  { amounts: ["0.1", "0.2"], total: "0.3", within: true, is: "a sum that JavaScript's numbers exceed" },
  { amounts: ["0.1", "0.2"], total: "0.29", within: false, is: "one cent above" },
  { amounts: ["0.1", "0.2"], total: "0.2999999999999999999", within: false, is: "the smallest part above" },
  { amounts: ["12.50", "7.5"], total: "20", within: true, is: "Postgres' trailing zeros" },
  {
    amounts: ["12.50", "7.51"],
    total: "20.000",
    within: false,
    is: "Postgres' trailing zeros, one cent above",
  },
  { amounts: ["9007199254740993", "1"], total: "9007199254740994", within: true, is: "beyond 2^53" },
  {
    amounts: ["9007199254740993", "2"],
    total: "9007199254740994",
    within: false,
    is: "one above, beyond 2^53",
  },
  { amounts: ["999999999999999999999", "1"], total: String(1e21), within: true, is: "a large exponent" },
  { amounts: [String(1e21), "1"], total: String(1e21), within: false, is: "one above a large exponent" },
  { amounts: [String(1.5e21), String(1.5e21)], total: String(3e21), within: true, is: "a fraction with one" },
  { amounts: [String(1e-7), "0.0000002"], total: String(3e-7), within: true, is: "a small exponent" },
  { amounts: [String(1e-7), "0.3"], total: "0.3", within: false, is: "a tiny amount above" },
  { amounts: [String(1.5e-7)], total: "0.0000001", within: false, is: "a fraction with a small exponent" },
  {
    amounts: [String(1e21), String(1e-7)],
    total: String(1e21),
    within: false,
    is: "a tiny amount above a large one",
  },
  { amounts: ["-0.5", "1.00"], total: "0.5", within: true, is: "a negative amount" },
  { amounts: ["-0.05", "-1e-7"], total: "-0.06", within: false, is: "a negative total" },
  { amounts: [], total: "0", within: true, is: "no amounts" },
  { amounts: ["0.01"], total: "0", within: false, is: "an amount of nothing" },
])("$amounts within $total is $within: $is", ({ amounts, total, within }) => {
  expect(sumIsWithin(amounts, total)).toBe(within);
});

it.each<[amounts: string[], sum: string, is: string]>([
  [["0.1", "0.2"], "0.3", "a sum that JavaScript's numbers miss"],
  [["12.50", "7.5"], "20.00", "Postgres' trailing zeros"],
  [["9007199254740993", "2"], "9007199254740995", "beyond 2^53"],
  [[String(1e21), "0.5"], "1000000000000000000000.5", "a large exponent"],
  [[String(1.5e-7), "1"], "1.00000015", "a small exponent"],
  [["0.05", "0.01"], "0.06", "less than a tenth"],
  [["-0.5", "0.25"], "-0.25", "a negative sum"],
  [["-0.05", "-1"], "-1.05", "negative amounts"],
  [["0.5", "-0.5"], "0.0", "nothing left"],
  [["70.1"], "70.1", "one amount"],
  [[], "0", "no amounts"],
  [["1", "NaN"], "NaN", "no number"],
  [["Infinity"], "NaN", "no finite number"],
  [["1", ""], "NaN", "nothing"],
])("the sum of %j is %s: %s", (amounts, sum) => {
  expect(exactSum(amounts)).toBe(sum);
});

/** Decimals of the smallest unit in the test below. */
const decimals = 12;

/** A number of the smallest unit as Postgres writes it, with all zeros. */
function byPostgres(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
  return `${units < 0n ? "-" : ""}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

it("a sum is compared to the last decimal, however its amounts are written", () => {
  const amount = fc.record({
    digits: fc.integer({ min: -999_999, max: 999_999 }),
    exponent: fc.integer({ min: -decimals, max: 24 }),
  });
  const around = fc.bigInt({ min: -2n, max: 2n });
  fc.assert(
    fc.property(
      fc.array(amount),
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      around,
      (amounts, before, left) => {
        const units = amounts.map(
          ({ digits, exponent }) => BigInt(digits) * 10n ** BigInt(exponent + decimals),
        );
        const sum = units.reduce((all, one) => all + one, before);
        const byJavaScript = amounts.map(({ digits, exponent }) => String(Number(`${digits}e${exponent}`)));
        const all = [byPostgres(before), ...byJavaScript];
        expect(sumIsWithin(all, byPostgres(sum + left))).toBe(left >= 0n);
        expect(sumIsWithin([exactSum(all)], byPostgres(sum + left))).toBe(left >= 0n);
      },
    ),
  );
});
