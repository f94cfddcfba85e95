/**
 * Text that an engine carries. Inngest writes every request as canonical JSON (RFC 8785) and fails the run if a step's
 * output has an unpaired surrogate, so U+FFFD replaces each.
 */
export function engineText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** The same for JSON text, keys included. `JSON.stringify` escapes no other surrogates. */
export function engineJson(json: string): string {
  return json.includes("\\ud") ? json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\ufffd") : json;
}

/** The same for plain data. */
export function engineData<T>(data: T): T {
  const json: string | undefined = JSON.stringify(data);
  const carried = json === undefined ? json : engineJson(json);
  return carried === json || carried === undefined ? data : JSON.parse(carried);
}

/** At most the first `max` UTF-16 units of a text. Never cuts a surrogate pair. */
export function cutText(text: string, max: number): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, "");
}
