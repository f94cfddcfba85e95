const unstorable = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A model's name or id as Postgres can keep it: NUL and halves of surrogate pairs become the replacement character. */
export function storableText(text: string): string {
  return text.replace(unstorable, "\ufffd");
}
