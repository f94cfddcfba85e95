import ms, { type StringValue } from "ms";

/** Longest text that `ms` reads; it throws at a longer one, and at an empty one. */
const longestText = 100;

/** The milliseconds of a length of time such as "10m", or `undefined` where the text is none. */
export function durationMs(text: string): number | undefined {
  if (text === "" || text.length > longestText) return undefined;
  const value: unknown = ms(text as StringValue);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
