/** The error of Inngest's server for a request that it cannot write as canonical JSON (RFC 8785). */
export const MISSING_SURROGATE = "error transforming request with JCS: Missing surrogate";

/** JSON text as `JSON.stringify` writes it, which escapes only unpaired surrogates. */
const escapedSurrogate = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** Whether a string or key in the JSON text has an unpaired surrogate. */
export function hasUnpairedSurrogate(json: string): boolean {
  return withoutUnpaired(json) !== json;
}

/** The data as Inngest's server reads it where it parses JSON: with U+FFFD in place of each unpaired surrogate. */
export function wellFormed<T>(data: T): T {
  const json = JSON.stringify(data) as string | undefined;
  return json !== undefined && hasUnpairedSurrogate(json) ? JSON.parse(withoutUnpaired(json)) : data;
}

/** The same for data as JSON text. */
export function withoutUnpaired(json: string): string {
  return json.includes("\\ud") ? json.replace(escapedSurrogate, "$1\ufffd") : json;
}
