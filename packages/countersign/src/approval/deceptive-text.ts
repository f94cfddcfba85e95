import { codePointName, deceptiveCharacter, visibleText } from "../policy/visible-text.js";
import { foreignLetters } from "./mixed-scripts.js";

/** Something in a text that people cannot see or would take for something else. */
export interface TextFlag {
  /** Where: `input.note`, `editedInput.lines.0`, `toolName`. What deceives in it shows as ⟨U+202E⟩. */
  path: string;
  /** `direction` reorders what people see; `mixed_script` is a word with letters of scripts that do not go together. */
  kind: "invisible" | "direction" | "control" | "mixed_script";
  /** Each character once: `U+202E`. At most 20. */
  characters: string[];
  /** The word that mixes scripts. */
  text?: string;
}

const mostFlags = 100;
const mostCharacters = 20;
const longestPath = 300;
const longestWord = 80;

const harmless = /^[\t\n\r\x20-\x7e]*$/;
const everyDeceptive = new RegExp(deceptiveCharacter.source, "gu");
const direction = /\p{Bidi_Control}/u;
const control = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const word = /[\p{L}\p{M}]+/gu;
/** Emoji whose joiners and selectors are part of what people see. */
const emoji =
  /\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?(?:\u200d\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)*|[#*0-9]\ufe0f\u20e3|\u{1f3f4}[\u{e0061}-\u{e007a}]{2,6}\u{e007f}/gu;
/** Joiners and non-joiners that Persian, Hindi and their neighbours are written with. */
const joiners =
  /(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Kannada}\p{Script=Telugu}\p{Script=Tamil}\p{Script=Sinhala}])[\u200c\u200d](?=[\p{L}\p{M}])/gu;

/** What deceives in texts and keys of some values, by the name under which each is known; at most 100 flags. */
export function deceptiveText(values: Record<string, unknown>): {
  flags: TextFlag[];
  flagsTruncated: boolean;
} {
  const flags: TextFlag[] = [];
  const visit = (value: unknown, path: string): void => {
    if (flags.length > mostFlags) return;
    if (typeof value === "string") flags.push(...flagsOf(value, path));
    if (typeof value !== "object" || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      const below = visibleText(`${path}.${key}`, longestPath);
      if (!Array.isArray(value)) flags.push(...flagsOf(key, below));
      visit(item, below);
    }
  };
  for (const [name, value] of Object.entries(values)) visit(value, name);
  return { flags: flags.slice(0, mostFlags), flagsTruncated: flags.length > mostFlags };
}

function flagsOf(text: string, path: string): TextFlag[] {
  if (harmless.test(text)) return [];
  const flags: TextFlag[] = [];
  const kinds = { direction: new Set<string>(), control: new Set<string>(), invisible: new Set<string>() };
  for (const [character] of text.replace(emoji, " ").replace(joiners, "").matchAll(everyDeceptive)) {
    if (/[\t\n\r]/.test(character)) continue;
    const kind = direction.test(character) ? "direction" : control.test(character) ? "control" : "invisible";
    kinds[kind].add(codePointName(character));
  }
  for (const kind of ["direction", "control", "invisible"] as const) {
    if (kinds[kind].size > 0)
      flags.push({ path, kind, characters: [...kinds[kind]].slice(0, mostCharacters) });
  }
  for (const [letters] of text.matchAll(word)) {
    if (flags.length > mostFlags) break;
    const foreign = foreignLetters(letters);
    if (foreign.length === 0) continue;
    const characters = foreign.slice(0, mostCharacters).map(codePointName);
    flags.push({ path, kind: "mixed_script", characters, text: visibleText(letters, longestWord) });
  }
  return flags;
}
