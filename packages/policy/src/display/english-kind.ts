/** A label of one English word can stand in a sentence. */
const word = /^[A-Z]?[a-z]+$/;

/** What rules call requests, within an English sentence: "refund" for `Refund`; "request" without a label or with a longer one. */
export function englishKind(label: string | null, count = 1): string {
  const kind = label !== null && word.test(label) ? label.toLowerCase() : "request";
  if (count === 1) return kind;
  if (/(?:s|x|z|ch|sh)$/.test(kind)) return `${kind}es`;
  return /[^aeiou]y$/.test(kind) ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}
