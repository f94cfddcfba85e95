/** Argument names that denote amounts of money. */
const amountName = /(^|[_.])(amount|price|total|cost|fee|refund|balance|sum)([_.]|$)/i;
/** Argument names that denote identifiers. */
const codeName = /(^|[_.])(id|ids|no|nr|number|code|key|year|zip|postcode|phone|port|pin|version)([_.]|$)/i;

/** Longer numbers are displayed with a power of ten. */
const maxDigits = 30;
const largeAmount = 1e12;

/** How numbers are written: the sign between groups of three digits, and the one before decimals. */
export interface NumberFormat {
  group: string;
  decimal: string;
}

export const englishNumbers: NumberFormat = { group: ",", decimal: "." };

/** Why a number needs attention: an amount with more than two decimals, or too many digits to be exact or common. */
export type NumberMark = "decimals" | "large_number";

/** Whether an argument with this name is an amount of money. */
export function isAmount(name: string): boolean {
  return amountName.test(snake(name));
}

/**
 * Formats a number exactly, with grouped digits. An amount with cents has two decimals; further decimals are kept.
 *
 * @param name The argument's name. Amounts are grouped from 1,000, other numbers from 10,000, identifiers and years
 * never.
 * @param format How numbers are written. @default as in English
 *
 * @example
 * ```ts
 * import { numberText } from "@countersign/policy/display";
 *
 * export const shown = [numberText("amount", 2400), numberText("amount", 499.999999999)]; // 2,400 and 499.999999999
 * ```
 */
export function numberText(name: string, value: number, format = englishNumbers): string {
  const plain = plainDigits(value);
  if (plain === undefined || codeName.test(snake(name))) {
    return (plain ?? JSON.stringify(value)).replace(".", format.decimal);
  }
  const [, sign = "", whole = "", decimals = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(plain) ?? [];
  const amount = isAmount(name);
  const grouped = amount || whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, format.group) : whole;
  const cents = amount && decimals.length === 1 ? `${decimals}0` : decimals;
  return `${sign}${grouped}${cents && format.decimal + cents}`;
}

/** The unusual properties of a number. */
export function numberMarks(name: string, value: number): NumberMark[] {
  const decimals = /\.(\d+)$/.exec(plainDigits(value) ?? "")?.[1] ?? "";
  const tiny = value !== 0 && Math.abs(value) < 1 && plainDigits(value) === undefined;
  const amount = isAmount(name);
  const size = Math.abs(value);
  return [
    ...(amount && (decimals.length > 2 || tiny) ? (["decimals"] as const) : []),
    ...((amount && size > largeAmount) || size > Number.MAX_SAFE_INTEGER ? (["large_number"] as const) : []),
  ];
}

/** The number as in JSON, without exponent; `undefined` if that is too long. */
function plainDigits(value: number): string | undefined {
  const json = JSON.stringify(value);
  const [, sign = "", whole = "", decimals = "", power] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(json) ?? [];
  if (power === undefined) return json;
  const places = Number(power);
  if (Math.abs(places) > maxDigits) return undefined;
  const digits = whole + decimals;
  if (places < 0) return `${sign}0.${"0".repeat(-places - 1)}${digits}`;
  return `${sign}${digits.padEnd(places + 1, "0")}`;
}

function snake(name: string): string {
  return name.replace(/([a-z\d])([A-Z])/g, "$1_$2");
}
