/** The sum of decimal numbers, as text. Sums of JavaScript's numbers are not exact. */
export function exactSum(amounts: readonly string[]): string {
  if (!amounts.every((text) => decimal.test(text))) return "NaN";
  const { digits, decimals } = amounts.map(parsed).reduce(plus, { digits: 0n, decimals: 0 });
  const text = (digits < 0n ? -digits : digits).toString().padStart(decimals + 1, "0");
  const whole = text.slice(0, text.length - decimals);
  return `${digits < 0n ? "-" : ""}${decimals === 0 ? whole : `${whole}.${text.slice(-decimals)}`}`;
}

/** Whether decimal numbers add up to at most another one. */
export function sumIsWithin(amounts: readonly string[], total: string): boolean {
  if (![...amounts, total].every((text) => decimal.test(text))) return false;
  const [sum, limit] = sameDecimals(
    amounts.map(parsed).reduce(plus, { digits: 0n, decimals: 0 }),
    parsed(total),
  );
  return sum.digits <= limit.digits;
}

interface Decimal {
  digits: bigint;
  decimals: number;
}

function plus(one: Decimal, other: Decimal): Decimal {
  const [first, second] = sameDecimals(one, other);
  return { digits: first.digits + second.digits, decimals: first.decimals };
}

function sameDecimals(...both: [Decimal, Decimal]): [Decimal, Decimal] {
  const decimals = Math.max(...both.map((one) => one.decimals));
  const scaled = (one: Decimal) => ({
    digits: one.digits * 10n ** BigInt(decimals - one.decimals),
    decimals,
  });
  return [scaled(both[0]), scaled(both[1])];
}

/** What Postgres writes otherwise, such as `NaN`, is no amount. */
const decimal = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;

/** A number as JavaScript and Postgres write it, such as `12.50` or `1e-7`. */
function parsed(text: string): Decimal {
  const [mantissa = "", exponent = "0"] = text.split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  const decimals = fraction.length - Number(exponent);
  const digits = BigInt(`${whole}${fraction}`);
  return decimals < 0 ? { digits: digits * 10n ** BigInt(-decimals), decimals: 0 } : { digits, decimals };
}
