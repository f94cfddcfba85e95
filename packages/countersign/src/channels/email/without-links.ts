/** Texts that mail programs turn into links: addresses with a scheme, and names with a dot such as `example.com`. */
const scheme = /(?<=[\p{L}\p{N}]):\/\//gu;
const dottedName = /(?<=[\p{L}\p{N}])[.。．｡](?=[\p{L}\p{M}-]{2})/gu;

/**
 * Makes the links of a text visible but not clickable: `https[:]//evil[.]example`. The texts of a call come from a model,
 * and nothing of them may look like the mail's own link.
 */
export function withoutLinks(text: string): string {
  return text.replace(scheme, "[:]//").replace(dottedName, "[.]");
}
