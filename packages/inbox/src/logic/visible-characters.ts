/** Part of a text as it is shown: plain, or one character that would not be seen. */
export type TextPart = { kind: "plain"; text: string } | { kind: "hidden"; code: string; name: string };

/**
 * Characters that people cannot see or that reorder what they see: controls, bidi and zero-width formats, line
 * separators, lone surrogates, private use, fillers. Line breaks and tabs are left to the layout.
 */
const deceptive = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
const layout = new Set(["\n", "\t"]);

const names: Record<string, string> = {
  "00AD": "soft hyphen",
  "061C": "Arabic letter mark",
  "180E": "Mongolian vowel separator",
  "200B": "zero-width space",
  "200C": "zero-width non-joiner",
  "200D": "zero-width joiner",
  "200E": "left-to-right mark",
  "200F": "right-to-left mark",
  "2028": "line separator",
  "2029": "paragraph separator",
  "202A": "left-to-right embedding",
  "202B": "right-to-left embedding",
  "202C": "end of direction change",
  "202D": "left-to-right override",
  "202E": "right-to-left override",
  "2060": "word joiner",
  "2066": "left-to-right isolate",
  "2067": "right-to-left isolate",
  "2068": "first strong isolate",
  "2069": "end of isolate",
  "2800": "blank Braille pattern",
  "3164": "Hangul filler",
  FEFF: "byte order mark",
  "001B": "escape",
  "0000": "null",
  "0007": "bell",
  "0008": "backspace",
  "000D": "carriage return",
};

/** Splits a text so that nothing in it goes unseen. */
export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let plain = "";
  for (const character of text.replace(/\r\n/g, "\n")) {
    if (layout.has(character) || !deceptive.test(character)) {
      plain += character;
      continue;
    }
    if (plain) parts.push({ kind: "plain", text: plain });
    plain = "";
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    parts.push({ kind: "hidden", code: `U+${code}`, name: names[code] ?? unnamed(character) });
  }
  if (plain) parts.push({ kind: "plain", text: plain });
  return parts;
}

/** The same in plain text, for titles, notifications and attributes. */
export function visibleText(text: string): string {
  return textParts(text)
    .map((part) => (part.kind === "plain" ? part.text : `⟨${part.code}⟩`))
    .join("")
    .replace(/[\n\t]+/g, " ");
}

function unnamed(character: string): string {
  if (/\p{Cc}/u.test(character)) return "control character";
  if (/\p{Co}/u.test(character)) return "private character";
  return "invisible character";
}
