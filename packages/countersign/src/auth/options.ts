import ms, { type StringValue } from "ms";
import { CountersignError } from "../errors.js";

/** An option that cannot work: the message begins with its name and says what to write instead. */
export function wrongOption(name: string, fix: string): CountersignError {
  return new CountersignError("invalid_option", `${name}: ${fix}`);
}

/** Milliseconds of a duration such as `"12h"`, of at least a second. */
export function durationMs(name: string, text: unknown): number {
  const value = typeof text === "string" && text !== "" ? ms(text as StringValue) : undefined;
  if (typeof value !== "number" || !(value >= 1000)) {
    throw wrongOption(name, `must be a duration of at least a second; write for example "12h"`);
  }
  return value;
}

/** One or several non-empty strings, as a list. */
export function textList(name: string, value: unknown, fix: string): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0 || !list.every((text) => typeof text === "string" && text.trim() !== "")) {
    throw wrongOption(name, fix);
  }
  return list as string[];
}
