import ms, { type StringValue } from "ms";
import { cutText } from "./engine-text.js";

export const dayMs = 86_400_000;

/** The longest timeout, of calls and of waits. */
export const maxTimeoutMs = 365 * dayMs;

/** Longest text that `ms` accepts. It throws for longer texts and for empty ones. */
const maxTextLength = 100;

/** The milliseconds of a duration such as "10m", or `undefined` if the text is not a duration. */
export function durationMs(text: string): number | undefined {
  if (text === "" || text.length > maxTextLength) return undefined;
  const value: unknown = ms(text as StringValue);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Whole milliseconds of a duration that a schema has checked. */
export function checkedDurationMs(text: string): number {
  const value = durationMs(text);
  if (value === undefined) throw new TypeError(`"${cutText(text, maxTextLength)}" is not a duration`);
  return Math.round(value);
}

const units = [
  ["day", dayMs],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** A duration in words, in the largest unit of which it is a whole number: "10 minutes", "90 minutes", "1 day". */
export function durationWords(duration: number): string {
  const [unit, size] = units.find(([, size]) => duration % size === 0) ?? ["millisecond", 1];
  const count = Math.round(duration / size);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
