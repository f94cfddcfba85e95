import {
  redactPatternNames,
  redactPatternProblem,
} from "@countersign/policy/internal/redaction/redact-patterns";
import { durationMs, maxTimeoutMs } from "@countersign/policy/internal/shared/duration";
import { CountersignError } from "@countersign/policy/internal/shared/errors";

const minTimeoutMs = 1000;

/** The inbox's address without a slash at its end. */
export function inboxUrlOf(url: string | undefined): string | null {
  if (url === undefined) return null;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const plain = parsed && parsed.search === "" && parsed.hash === "" && parsed.username === "";
  if (plain && (parsed.protocol === "https:" || parsed.protocol === "http:"))
    return parsed.href.replace(/\/+$/, "");
  throw new CountersignError(
    "invalid_option",
    'inboxUrl: must be the absolute address of the inbox without query or fragment, such as "https://desk.example.com/inbox"',
  );
}

/** @throws CountersignError `invalid_option`, naming the first pattern that is invalid. */
export function redactPatternsOf(patterns: readonly string[]): readonly string[] {
  for (const [index, pattern] of patterns.entries()) {
    const problem = redactPatternProblem(pattern);
    if (problem === undefined) continue;
    throw new CountersignError(
      "invalid_option",
      `redactPatterns[${index}]: must be ${redactPatternNames.join(", ")} or a regular expression in RE2 syntax: ${problem}`,
    );
  }
  return [...patterns];
}

/**
 * The approval timeout in milliseconds.
 * @throws CountersignError `invalid_option`
 */
export function timeoutOf(text: string): number {
  const value = durationMs(text);
  if (value === undefined || value < minTimeoutMs || value > maxTimeoutMs) {
    throw new CountersignError(
      "invalid_option",
      `timeout: "${text}" is not a duration between one second and 365 days; write for example "30m"`,
    );
  }
  return Math.round(value);
}
