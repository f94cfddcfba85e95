import { numberText } from "@countersign/policy/display";
import { numbers } from "../../words/locale.js";
import type { JsonSchema } from "./json-schema.js";

/** How a value is formatted. The value itself is always shown unchanged. */
export type ValueKind =
  | "nothing"
  | "yes-no"
  | "number"
  | "date"
  | "email"
  | "path"
  | "code"
  | "long"
  | "text"
  | "list"
  | "json";

const codeName = /(code|script|sql|query|command|patch|diff|html|regex)$/i;
const isoDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;
const emailAddress = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/;
const filePath = /^(~|\.{0,2})\/[^\s]+$|^[A-Za-z]:\\/;
/** Text with more characters is folded. */
export const maxTextLength = 280;
/** Text with more lines is folded. */
export const maxLines = 6;

export function valueKind(key: string, value: unknown, schema?: JsonSchema): ValueKind {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "boolean") return "yes-no";
  if (typeof value === "number") return "number";
  if (typeof value === "string") return textKind(key, value, schema?.format);
  return Array.isArray(value) && value.every(isPlain) ? "list" : "json";
}

function textKind(key: string, text: string, format: string | undefined): ValueKind {
  if (text === "") return "text";
  if (codeName.test(key) && /[\n;={}()]/.test(text)) return "code";
  if (isoDate.test(text) && !Number.isNaN(Date.parse(text))) return "date";
  if (format === "email" || emailAddress.test(text)) return "email";
  if (filePath.test(text) && text.length < maxTextLength) return "path";
  return text.length > maxTextLength || text.split("\n").length > maxLines ? "long" : "text";
}

/** Whether a value shows itself. In place of an empty one stand words of the page. */
export function hasContent(value: unknown): boolean {
  return value !== null && value !== undefined && value !== "";
}

/** A longer text may be wrapped. */
const maxLine = 40;

/** Whether a value may take more than one line. */
export function takesLines(key: string, value: unknown, schema?: JsonSchema): boolean {
  if (typeof value === "string") return value.length > maxLine || /[\n\r\v\f\u0085\u2028\u2029]/.test(value);
  return ["code", "long", "list", "json"].includes(valueKind(key, value, schema));
}

/** A number with its unit. */
export function amountText(key: string, value: number, unit: string | undefined): string {
  const text = numberText(key, value, numbers);
  return unit === undefined ? text : `${text} ${unit}`;
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== "object";
}
