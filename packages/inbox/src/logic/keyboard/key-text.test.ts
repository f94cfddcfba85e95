import { describe, expect, it } from "vitest";
import { ariaKey, keyText } from "./key-text.js";

describe("a key", () => {
  it.each([
    ["a", "A", "A", "A", "A"],
    ["/", "/", "/", "/", "/"],
    [" ", "Space", "Space", "Space", "Space"],
    ["escape", "Esc", "Escape", "Esc", "Escape"],
    ["f6", "F6", "F6", "F6", "F6"],
    ["mod+k", "Ctrl K", "Control+K", "⌘K", "Meta+K"],
    ["mod+enter", "Ctrl Enter", "Control+Enter", "⌘Enter", "Meta+Enter"],
  ])("%s is printed as people and screen readers know it", (key, text, aria, macText, macAria) => {
    expect([keyText(key, false), ariaKey(key, false)]).toEqual([text, aria]);
    expect([keyText(key, true), ariaKey(key, true)]).toEqual([macText, macAria]);
  });

  it("that stands for several is printed in words", () => {
    expect(keyText("1-9", false)).toBe("1 to 9");
  });
});
