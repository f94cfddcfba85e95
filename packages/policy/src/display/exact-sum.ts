interface Decimal {
  digits: bigint;
  /** The number of digits behind the point. */
  places: number;
}

/**
 * The sum of numbers as they are written, without the errors of binary fractions; `undefined` if no number is exactly it.
 *
 * @example
 * ```ts
 * import { exactSum } from "@countersign/policy/display";
 *
 * export const sum = exactSum([0.1, 0.2]); // 0.3
 * ```
 */
export function exactSum(numbers: readonly number[]): number | undefined {
  const decimals = numbers.map(decimalOf);
  const places = Math.max(0, ...decimals.map((decimal) => decimal.places));
  const digits = decimals.reduce((sum, decimal) => sum + scaled(decimal, places), 0n);
  const sum = Number(`${digits}e-${places}`);
  if (!Number.isFinite(sum)) return undefined;
  const written = decimalOf(sum);
  const most = Math.max(places, written.places);
  return scaled({ digits, places }, most) === scaled(written, most) ? sum : undefined;
}

function decimalOf(number: number): Decimal {
  const [, whole = "", decimals = "", power = "0"] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? [];
  return { digits: BigInt(whole + decimals), places: decimals.length - Number(power) };
}

function scaled({ digits, places }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(to - places);
}
