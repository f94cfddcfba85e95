import * as z from "zod";

export const unstorableMessage = "must not contain NUL or unpaired surrogates";

const unstorable = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Makes a name or id from a model storable in Postgres: replaces NUL and unpaired surrogates with U+FFFD. */
export function storableText(text: string): string {
  return text.replace(unstorable, "\ufffd");
}

/**
 * Text that Postgres stores unchanged. Postgres rejects NUL and would replace an unpaired surrogate, so that a
 * repeated request no longer equals the first one.
 */
export const storableTextSchema = z.string().regex(/^[^\0\uD800-\uDFFF]*$/u, unstorableMessage);

/** Whether the text is valid Unicode. Canonical JSON (RFC 8785) requires this of every string. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

export const isStorable = (text: string): boolean => !text.includes("\0") && isWellFormed(text);

/** A location in a JSON value. */
interface Place {
  key: string;
  within: Place | undefined;
}

/**
 * Returns the path of the first text (keys included) that `isText` rejects, or undefined. Iterative, so deep values
 * cannot overflow the stack.
 */
export function pathOfBadText(value: unknown, isText: (text: string) => boolean): string[] | undefined {
  const open: { item: unknown; place: Place | undefined }[] = [{ item: value, place: undefined }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { item, place } = next;
    if (typeof item === "string" && !isText(item)) return pathTo(place);
    if (typeof item !== "object" || item === null) continue;
    for (const [key, child] of Object.entries(item)) {
      const here = { key, within: place };
      if (!isText(key) || (typeof child === "string" && !isText(child))) return pathTo(here);
      if (typeof child === "object") open.push({ item: child, place: here });
    }
  }
  return undefined;
}

function pathTo(place: Place | undefined): string[] {
  const path: string[] = [];
  for (let at = place; at; at = at.within) path.unshift(at.key);
  return path;
}
