import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultSummary, renderSummary } from "./summary.js";
import { visibleText } from "./visible-text.js";

describe("a summary from a template", () => {
  it("is filled from the real arguments, by path", () => {
    const input = { amount: 250, customer: { email: "a@b.c" }, items: [{ sku: "X" }] };
    expect(renderSummary("Refund {{amount}} EUR to {{ customer.email }} for {{items.0.sku}}", input)).toBe(
      "Refund 250 EUR to a@b.c for X",
    );
  });

  it("says what is missing, and reaches nothing that is inherited", () => {
    expect(
      renderSummary("{{nope}} {{a.b.c}} {{constructor}} {{__proto__}} {{text.length}}", { text: "x" }),
    ).toBe("(missing) (missing) (missing) (missing) (missing)");
    expect(renderSummary("{{a}}", null)).toBe("(missing)");
  });

  it("does not fill what an argument writes", () => {
    expect(renderSummary("{{a}}", { a: "{{b}} $& $1", b: "secret" })).toBe("{{b}} $& $1");
  });

  it("shows objects and arrays as short JSON", () => {
    expect(renderSummary("{{a}} {{b}} {{c}}", { a: { x: 1 }, b: [1, "2"], c: null })).toBe(
      '{"x":1} [1,"2"] null',
    );
  });

  it("shows what would hide or reorder text", () => {
    expect(renderSummary("to {{a}}", { a: "moc\u202elive\u200b\r\nx\u0007" })).toBe(
      "to moc⟨U+202E⟩live⟨U+200B⟩⏎x⟨U+0007⟩",
    );
  });

  it("keeps each value to 120 characters and all to 300", () => {
    const value = renderSummary("{{a}}", { a: "x".repeat(1000) }) ?? "";
    expect(value).toBe(`${"x".repeat(119)}…`);
    expect(renderSummary("{{a}}{{a}}{{a}}", { a: "x".repeat(1000) })).toHaveLength(300);
    expect(visibleText("ab\u202e", 8)).toBe("ab…");
  });

  it("is null without a template", () => {
    expect(renderSummary(null, { a: 1 })).toBeNull();
  });
});

describe("a summary without a template", () => {
  it("names the tool and up to three arguments, scalars first", () => {
    const input = { lines: [1], orderId: "A-1", amount: 5, to: { a: 1 }, note: "n" };
    expect(defaultSummary("issue_refund", input)).toBe(
      'issue_refund with orderId: "A-1", amount: 5, note: "n" and 2 more',
    );
    expect(defaultSummary("issue_refund", { lines: [1], ok: true })).toBe(
      "issue_refund with ok: true, lines: [1]",
    );
    expect(defaultSummary("ping", {})).toBe("ping without arguments");
    expect(defaultSummary("ping", null)).toBe("ping without arguments");
  });
});

const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;
const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("\u202e", "\u200b", "\n", "\0", "\u2028", "\ud800", "\u{e0041}", "a") }),
);

describe("any summary", () => {
  it("never holds a control, bidi or zero-width character, whatever the arguments are", () => {
    const inputs = fc.dictionary(nasty, fc.oneof(nasty, fc.jsonValue(), fc.array(nasty)));
    fc.assert(
      fc.property(inputs, nasty, nasty, (input, toolName, template) => {
        const path = Object.keys(input)[0] ?? "a";
        const shown = [
          renderSummary(`${template} {{${path}}} {{a}}`, input) ?? "",
          defaultSummary(toolName, input),
        ];
        for (const text of shown) {
          expect(text).not.toMatch(unsafe);
          expect(text.length).toBeLessThanOrEqual(300);
        }
      }),
    );
  });
});
