import { describe, expect, it } from "vitest";
import { foldableText, foldOf } from "./folded-text.js";

const textOf = (parts: { kind: string; text?: string }[] = []) =>
  parts.map(({ text = "" }) => text).join("|");

describe("foldOf", () => {
  it("does not fold short text, even with long gaps", () => {
    expect(foldOf("x".repeat(280))).toBeUndefined();
    expect(foldOf(`a${" ".repeat(5000)}b${"\n".repeat(60)}c`)).toBeUndefined();
  });

  it("keeps the beginning and the end, and counts the characters in between", () => {
    const fold = foldOf(`${"a".repeat(300)}${"b".repeat(300)}`);
    expect(textOf(fold?.beginning)).toBe("a".repeat(200));
    expect(textOf(fold?.end)).toBe("b".repeat(80));
    expect(fold?.hidden).toBe(320);
  });

  it("keeps the first and last lines", () => {
    const fold = foldOf(Array.from({ length: 50 }, (_, line) => `line ${line}`).join("\n"));
    expect(textOf(fold?.beginning)).toBe("line 0\nline 1\nline 2\nline 3");
    expect(textOf(fold?.end)).toBe("line 48\nline 49");
  });

  it("keeps labels whole", () => {
    const fold = foldOf(`to${" ".repeat(90)}${"x".repeat(600)}${"\n".repeat(30)}attacker@evil.example`);
    expect(fold?.beginning[1]).toMatchObject({ label: "90 spaces" });
    expect(fold?.end.slice(-2)).toMatchObject([
      { label: "30 line breaks" },
      { text: "attacker@evil.example" },
    ]);
  });

  it("does not cut surrogate pairs", () => {
    const fold = foldOf("😀".repeat(400));
    expect(textOf(fold?.beginning)).toMatch(/^(?:😀)+$/u);
    expect(textOf(fold?.end)).toMatch(/^(?:😀)+$/u);
  });
});

describe("foldableText", () => {
  it("returns long text and nested values, but neither short text nor numbers", () => {
    expect(foldableText("body", "x".repeat(281))).toHaveLength(281);
    expect(foldableText("body", "short")).toBeUndefined();
    expect(foldableText("amount", 5)).toBeUndefined();
    expect(foldableText("data", { a: [{}] })).toContain('"a"');
  });
});
