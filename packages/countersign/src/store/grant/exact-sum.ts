/** Whether decimal numbers add up to at most another one. Sums of JavaScript's numbers are not exact. */
export function sumIsWithin(amounts: readonly string[], total: string): boolean {
  if (![...amounts, total].every((text) => decimal.test(text))) return false;
  const all = [...amounts, total].map(parsed);
  const decimals = Math.max(...all.map((one) => one.decimals));
  const [limit = 0n, ...parts] = all
    .map(({ digits, decimals: own }) => digits * 10n ** BigInt(decimals - own))
    .reverse();
  return parts.reduce((sum, part) => sum + part, 0n) <= limit;
}

/** What Postgres writes otherwise, such as `NaN`, is no amount. */
const decimal = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;

/** A number as JavaScript and Postgres write it, such as `12.50` or `1e-7`. */
function parsed(text: string): { digits: bigint; decimals: number } {
  const [mantissa = "", exponent = "0"] = text.split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  const decimals = fraction.length - Number(exponent);
  const digits = BigInt(`${whole}${fraction}`);
  return decimals < 0 ? { digits: digits * 10n ** BigInt(-decimals), decimals: 0 } : { digits, decimals };
}
