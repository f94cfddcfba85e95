import { storableText } from "@countersign/policy/internal/shared/storable-text";

/** JSON for the database, which refuses it with unpaired surrogates. Drivers make U+FFFD of these in any other text. */
export function storableJson(value: object): string {
  const text = JSON.stringify(value);
  if (!/\\ud[89a-f]/.test(text)) return text;
  return JSON.stringify(value, (_, each) => (typeof each === "string" ? storableText(each) : each));
}
