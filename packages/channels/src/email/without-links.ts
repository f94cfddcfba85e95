/** Texts that mail programs turn into links: addresses with a scheme, and names with a dot such as `example.com`. */
const scheme = /(?<=[\p{L}\p{M}\p{N}]):\/\//gu;
const dottedName = /(?<=[\p{L}\p{M}\p{N}])[.。．｡](?=[\p{L}\p{M}-]{2})/gu;

/**
 * Makes the links of a text visible but not clickable: `https[:]//evil[.]example`. The texts of a call come from a model,
 * and nothing of them may look like the mail's own link.
 */
export function withoutLinks(text: string): string {
  return text.replace(scheme, "[:]//").replace(dottedName, "[.]");
}

const quoted = /(“[^”]*”)/u;

/**
 * The same for a text that names arguments. Their paths keep their dots, because they would otherwise read as hosts:
 * `customer.email`. A zero-width non-joiner follows each dot that could be one of a host, so mail programs do not link a
 * path, and browsers refuse it as a host. Quoted words are values.
 */
export function withoutLinksInPaths(text: string): string {
  return text
    .split(quoted)
    .map((part) => (quoted.test(part) ? withoutLinks(part) : pathsWithoutLinks(part)))
    .join("");
}

/** After `www` a dot starts a link in some mail programs, whatever follows it. */
const dotOfHost = /(?<=\bwww)\./giu;

function pathsWithoutLinks(text: string): string {
  return text.replace(scheme, "[:]//").replace(dotOfHost, "[.]").replace(dottedName, "$&\u200c");
}
