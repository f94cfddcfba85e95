/**
 * Characters that people cannot see or that reorder what they see: controls, bidi and zero-width formats, line
 * separators, lone surrogates, private use, fillers.
 */
export const deceptiveCharacter =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Text from a model or a tool, made safe to read: what is invisible or reorders its neighbours shows as ⟨U+202E⟩,
 * a line break as ⏎. Longer than `max` (UTF-16 units), it ends in …; an escape is never cut in half.
 */
export function visibleText(text: string, max: number): string {
  let shown = "";
  let room = "";
  for (const character of text.replace(/\r\n?/g, "\n")) {
    const seen = visibleCharacter(character);
    if (shown.length + seen.length > max) return `${room}…`;
    shown += seen;
    if (shown.length < max) room = shown;
  }
  return shown;
}

function visibleCharacter(character: string): string {
  if (character === "\n") return "⏎";
  return deceptiveCharacter.test(character) ? `⟨${codePointName(character)}⟩` : character;
}

/** `U+202E` for the character of that code point. */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
