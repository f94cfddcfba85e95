import { locale } from "../../words/locale.js";
import { words } from "../../words/words.js";

/** Days of which people speak, and how long before today they are. */
const daysAgo = new Map([
  ["today", 0],
  ["yesterday", 1],
]);

/** Whether a text names a day: "today", "yesterday" or a date such as "2026-11-27". */
export function isDay(value: string): boolean {
  return daysAgo.has(value) || isDate(value);
}

function isDate(value: string): boolean {
  if (!/^[12]\d{3}-\d\d-\d\d$/.test(value)) return false;
  const utc = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(utc.getTime()) && utc.toISOString().startsWith(value);
}

/** When a day begins where the reader is, or the day that many days `later`. `todayMs`: when their present day began. */
export function startOfDay(day: string, todayMs: number, later = 0): Date {
  const ago = daysAgo.get(day);
  const start = ago === undefined ? new Date(`${day}T00:00:00`) : new Date(todayMs);
  // Not by hours: a day may have 23 or 25 of them.
  start.setDate(start.getDate() - (ago ?? 0) + later);
  // Where the clocks change at midnight, a day begins at one o'clock, and the others do not.
  start.setHours(0, 0, 0, 0);
  return start;
}

/** A day in words, for the middle of a sentence: "yesterday", "Nov 27, 2026". */
export function dayText(day: string): string {
  const { today, yesterday } = words.history.days;
  if (day === "today") return today;
  if (day === "yesterday") return yesterday;
  return startOfDay(day, 0).toLocaleDateString(locale, { year: "numeric", month: "short", day: "numeric" });
}
