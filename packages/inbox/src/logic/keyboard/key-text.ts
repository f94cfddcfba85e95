import { words } from "../../words/words.js";

/** A key as it is printed: "A", "Esc", "Ctrl K", and "⌘K" on a Mac. */
export function keyText(key: string, isMac: boolean): string {
  const bare = key.replace(/^(mod|shift)\+/, "");
  const name = nameOf(bare);
  if (bare === key) return name;
  if (key.startsWith("shift+")) return `${words.commands.keys.shift} ${name}`;
  return isMac ? `⌘${name}` : `${words.commands.keys.ctrl} ${name}`;
}

/** A key as `aria-keyshortcuts` has it: "A", "Escape", "Control+K", and "Meta+K" on a Mac. */
export function ariaKey(key: string, isMac: boolean): string {
  const bare = key.replace(/^(mod|shift)\+/, "");
  const name = bare === " " ? "Space" : bare.charAt(0).toUpperCase() + bare.slice(1);
  if (bare === key) return name;
  if (key.startsWith("shift+")) return `Shift+${name}`;
  return `${isMac ? "Meta" : "Control"}+${name}`;
}

function nameOf(key: string): string {
  const names = words.commands.keys;
  switch (key) {
    case " ":
      return names.space;
    case "escape":
      return names.escape;
    case "enter":
      return names.enter;
    case "1-9":
      return names.digits;
    case "arrowup":
      return "↑";
    case "arrowdown":
      return "↓";
    default:
      return key.toUpperCase();
  }
}
