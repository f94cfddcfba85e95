const names: Readonly<Record<string, string>> = {
  " ": "Space",
  escape: "Esc",
  enter: "Enter",
  arrowup: "↑",
  arrowdown: "↓",
};

/** A key as it is printed: "A", "Esc", "Ctrl K", and "⌘K" on a Mac. */
export function keyText(key: string, isMac: boolean): string {
  const bare = key.replace(/^mod\+/, "");
  const name = names[bare] ?? (/^\w+$/.test(bare) ? bare.toUpperCase() : bare);
  if (bare === key) return name;
  return isMac ? `⌘${name}` : `Ctrl ${name}`;
}

/** A key as `aria-keyshortcuts` has it: "A", "Escape", "Control+K", and "Meta+K" on a Mac. */
export function ariaKey(key: string, isMac: boolean): string {
  const bare = key.replace(/^mod\+/, "");
  const name = bare === " " ? "Space" : bare.charAt(0).toUpperCase() + bare.slice(1);
  if (bare === key) return name;
  return `${isMac ? "Meta" : "Control"}+${name}`;
}
