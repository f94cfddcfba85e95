import type { JsonSchema } from "../api/approval.js";

/** How a value is shown. What people read is always the value itself, never a guess about it. */
export type ValueKind =
  | "nothing"
  | "yes-no"
  | "money"
  | "number"
  | "date"
  | "email"
  | "path"
  | "code"
  | "long"
  | "text"
  | "list"
  | "json";

const moneyName = /(^|[_.])(amount|price|total|cost|fee|refund|balance|sum)([_.]|$)/i;
const codeName = /(code|script|sql|query|command|patch|diff|html|regex)$/i;
const isoDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;
const emailAddress = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/;
const filePath = /^(~|\.{0,2})\/[^\s]+$|^[A-Za-z]:\\/;
/** Longer text, in characters, is folded. */
export const longText = 280;
/** Text of more lines is folded. */
export const manyLines = 6;

export function valueKind(key: string, value: unknown, schema?: JsonSchema): ValueKind {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "boolean") return "yes-no";
  if (typeof value === "number") return moneyName.test(snake(key)) && hasCents(value) ? "money" : "number";
  if (typeof value === "string") return textKind(key, value, schema?.format);
  return Array.isArray(value) && value.every(isPlain) ? "list" : "json";
}

function textKind(key: string, text: string, format: string | undefined): ValueKind {
  if (text === "") return "text";
  if (codeName.test(key) && /[\n;={}()]/.test(text)) return "code";
  if (isoDate.test(text) && !Number.isNaN(Date.parse(text))) return "date";
  if (format === "email" || emailAddress.test(text)) return "email";
  if (filePath.test(text) && text.length < longText) return "path";
  return text.length > longText || text.split("\n").length > manyLines ? "long" : "text";
}

/** Money with two decimals, and its currency where the call names one beside it; exactly the number that is sent. */
export function moneyWords(amount: number, currency: unknown): string {
  const plain = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  if (typeof currency !== "string" || !/^[A-Z]{3}$/.test(currency)) return plain.format(amount);
  return `${plain.format(amount)} ${currency}`;
}

/** A whole number of cents, and small enough that no digit is lost. */
function hasCents(value: number): boolean {
  return Math.abs(value) < 1e12 && Math.abs(Math.round(value * 100) - value * 100) < 1e-6;
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== "object";
}

function snake(key: string): string {
  return key.replace(/([a-z\d])([A-Z])/g, "$1_$2");
}
