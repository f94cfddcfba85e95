import { describe, expect, it } from "vitest";
import { effectText, effectValue, previewLines, reversibleText } from "./effect-text.js";

describe("effectText", () => {
  it.each([
    [{ target: "order A-1001", before: "paid", after: "refunded" }, "order A-1001: paid → refunded"],
    [{ target: "order A-1001", before: "paid 80.00", after: "open" }, "order A-1001: “paid 80.00” → open"],
    [{ target: "user ada", before: { role: "admin" }, after: null }, 'user ada: {"role":"admin"} → nothing'],
    [{ target: "user ada", after: ["a", 1] }, 'user ada: nothing → ["a",1]'],
    [{ target: "balance", before: 2400, after: 1950.5 }, "balance: 2,400 → 1,950.50"],
    [{ target: "active", before: true, after: false }, "active: true → false"],
    [{ target: "rows of orders", count: 40_000 }, "rows of orders (40,000)"],
    [{ target: "note", before: "", after: "nothing" }, "note: “” → “nothing”"],
    [
      { target: "order A-1001", before: "refunded 49.90 EUR", after: "refunded 49.90 EUR" },
      "order A-1001: no change, it is already “refunded 49.90 EUR”",
    ],
    [{ target: "roles", before: ["a"], after: ["a"] }, 'roles: no change, it is already ["a"]'],
    // What is hidden may differ.
    [{ target: "card", before: "to [hidden]", after: "to [hidden]" }, "card: “to [hidden]” → “to [hidden]”"],
    [{ target: "card", before: "[hidden]", after: "4242" }, "card: [hidden] → 4242"],
  ])("describes %j", (effect, line) => {
    expect(effectText(effect)).toBe(line);
  });

  it.each([
    ["an arrow in a target", { target: "A: paid → open", before: 1, after: 2 }, "“A: paid → open”: 1 → 2"],
    ["a count in a target", { target: "rows (4)", count: 40_000 }, "“rows (4)” (40,000)"],
    ["an arrow in a value", { target: "a", before: "x → y", after: "z" }, "a: “x → y” → z"],
    ["an arrow of ASCII", { target: "a", before: "x", after: "y -> z" }, "a: x → “y -> z”"],
    ["quotation marks in a value", { target: "a", before: "x” → “y", after: 1 }, 'a: “x" → "y” → 1'],
    ["an arrow in JSON", { target: "a", before: { b: "1 → 2" }, after: 3 }, 'a: “{"b":"1 → 2"}” → 3'],
    ["words of ours as a target", { target: "Nothing would change" }, "“Nothing would change”"],
    ["a count of ours as a target", { target: "30 more" }, "“30 more”"],
    ["a line break in a target", { target: "a\nb: 1", after: 2 }, "“a⏎b: 1”: nothing → 2"],
    [
      "60 line breaks",
      { target: "a", before: "b", after: `b${"\n".repeat(60)}c` },
      "a: b → “b⟨60 line breaks⟩c”",
    ],
    ["400 blanks", { target: `a${" ".repeat(400)}b`, after: 1 }, "“a⟨400 spaces⟩b”: nothing → 1"],
    ["text from right to left", { target: "a", after: "\u202egnp.exe" }, "a: nothing → “⟨U+202E⟩gnp.exe”"],
    ["1e21", { target: "a", before: 1, after: 1e21 }, "a: 1 → 1,000,000,000,000,000,000,000"],
  ])("does not let %s mislead", (_what, effect, line) => {
    expect(effectText(effect)).toBe(line);
  });

  it("ends long targets and values in an ellipsis unless all of it is wanted", () => {
    const long = { target: "t".repeat(201), before: "b".repeat(301), after: [`a${"a".repeat(300)}`] };
    expect(effectText(long)).toBe(`“${"t".repeat(199)}…”: “${"b".repeat(299)}…” → “["${"a".repeat(297)}…”`);
    expect(effectText(long, { whole: true })).not.toContain("…");
  });
});

describe("effectValue", () => {
  it("tells the text “nothing” from a thing that does not exist", () => {
    expect([
      effectValue(null),
      effectValue(undefined),
      effectValue("nothing"),
      effectValue("Nothing"),
    ]).toEqual(["nothing", "nothing", "“nothing”", "“Nothing”"]);
  });
});

describe("reversibleText", () => {
  it.each([
    [true, "This can be undone."],
    [false, "This cannot be undone."],
    [null, "It is not known whether this can be undone."],
    ["30m", "This can be undone within 30 minutes."],
    ["30m\u202e. Approved", "This can be undone within “30m⟨U+202E⟩. Approved”."],
  ])("describes %j", (reversible, text) => {
    expect(reversibleText(reversible)).toBe(text);
  });
});

describe("previewLines", () => {
  const effects = ["a", "b", "c"].map((target) => ({ target }));

  it("lists the effects and whether they can be undone", () => {
    expect(previewLines({ failed: null, effects, reversible: false })).toEqual([
      "a",
      "b",
      "c",
      "This cannot be undone.",
    ]);
  });

  it("counts the effects that it leaves out", () => {
    expect(previewLines({ failed: null, effects, reversible: true }, { max: 1 })).toEqual([
      "a",
      "2 more",
      "This can be undone.",
    ]);
  });

  it("tells a call without effects from one whose effects are unknown", () => {
    expect(previewLines({ failed: null, effects: [], reversible: true })[0]).toBe("Nothing would change.");
    expect(previewLines({ failed: "late", effects: [], reversible: null })).toEqual([
      "No preview: the tool took too long to say what this would change.",
    ]);
  });
});
