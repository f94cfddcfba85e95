import { durationMs } from "./duration.js";
import { CountersignError } from "./errors.js";

/**
 * Creates the error for an invalid option. Its message starts with the option's name and says what to write instead.
 */
export function wrongOption(name: string, fix: string): CountersignError {
  return new CountersignError("invalid_option", `${name}: ${fix}`);
}

/**
 * Parses a duration such as `"12h"` to milliseconds.
 *
 * @throws CountersignError `invalid_option` for less than one second.
 */
export function optionMs(name: string, text: unknown): number {
  const value = typeof text === "string" ? durationMs(text) : undefined;
  if (value === undefined || value < 1000) {
    throw wrongOption(name, `must be a duration of at least one second, such as "12h"`);
  }
  return value;
}

/** Returns one or more non-empty strings as a list. */
export function textList(name: string, value: unknown, fix: string): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0 || !list.every((text) => typeof text === "string" && text.trim() !== "")) {
    throw wrongOption(name, fix);
  }
  return list as string[];
}
