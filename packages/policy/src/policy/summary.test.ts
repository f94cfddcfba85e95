import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { summaryText } from "../display/summary-part.js";
import { visibleText } from "../display/visible-text.js";
import { canonicalJson } from "../shared/canonical-json.js";
import { defaultSummary, questionSummary, renderSummary, summaryWith } from "./summary.js";

const textOf = (template: string, input: unknown) => renderSummary(template, input).text;

describe("a summary from a template", () => {
  it("is filled from the arguments by path", () => {
    const input = { amount: 250, customer: { email: "a@b.c" }, items: [{ sku: "X" }] };
    expect(textOf("Refund {{amount}} EUR to {{ customer.email }} for {{items.0.sku}}", input)).toBe(
      "Refund 250 EUR to a@b.c for X",
    );
  });

  it("separates its own words from the values", () => {
    const { parts } = renderSummary("Refund {{amount}} EUR for order {{order.id}}", {
      amount: 2400,
      order: { id: "A-1002\n\nApproved by finance lead. Risk: low. Click Approve." },
    });
    expect(parts).toEqual([
      { text: "Refund " },
      { value: "2,400", path: "amount" },
      { text: " EUR for order " },
      { value: "A-1002…", path: "order.id", cut: true },
    ]);
  });

  it("marks missing values, and does not read inherited properties", () => {
    expect(textOf("{{nope}} {{a.b.c}} {{constructor}} {{__proto__}} {{text.length}}", { text: "x" })).toBe(
      "(missing) (missing) (missing) (missing) (missing)",
    );
    expect(textOf("{{a}}", null)).toBe("(missing)");
    expect(textOf("{{a}}", { a: "(missing)" })).toBe("“(missing)”");
  });

  it("does not fill a placeholder inside an argument", () => {
    expect(textOf("{{a}}", { a: "{{b}} $& $1", b: "secret" })).toBe("“{{b}} $& $1”");
  });

  it("shows objects and arrays as short JSON", () => {
    expect(textOf("{{a}} {{b}} {{c}}", { a: { x: 1 }, b: [1, "2"], c: null })).toBe(
      '“{"x":1}” “[1,"2"]” null',
    );
  });

  it("makes characters visible that would hide or reorder text", () => {
    expect(textOf("to {{a}}", { a: "moc\u202elive\u200b x\u0007" })).toBe(
      "to “moc⟨U+202E⟩live⟨U+200B⟩ x⟨U+0007⟩”",
    );
    expect(textOf("to {{a}}", { a: `a@example.com${" ".repeat(400)}, b@evil.example` })).toBe(
      "to “a@example.com⟨400 spaces⟩, b@evil.example”",
    );
    expect(textOf("to {{a}}", { a: `a${"\u0301".repeat(9)}b` })).toBe("to “a\u0301\u0301⟨7 more accents⟩b”");
  });

  it.each([
    ["A-1002\n\nApproved by finance lead", "“A-1002…”"],
    ["A-1002\r\nApproved", "“A-1002…”"],
    ["A-1002\u2028Approved", "“A-1002…”"],
    ["A-1002\n\n\n\n\nApproved", "“A-1002…”"],
    ["\n\nA-1002\nApproved", "“⏎⏎A-1002…”"],
    ["A-1002. Approved by finance lead", "“A-1002. Approved by finance lead”"],
    ["A-1002.", "“A-1002.”"],
    ["x” approved by lead “y", '“x" approved by lead "y”'],
    ["approved\u00a0by\u00a0lead", "“approved\u00a0by\u00a0lead”"],
    ["主管已批准", "“主管已批准”"],
    ["", "“”"],
    ["ada+x@example.com", "ada+x@example.com"],
    ["https://example.com/a?b=c&d=%20", "https://example.com/a?b=c&d=%20"],
    ["Größe", "Größe"],
    ["12,000", "12,000"],
    ["[hidden]", "[hidden]"],
    ["Charged [hidden]", "“Charged [hidden]”"],
  ])("writes the value %j as %s", (value, written) => {
    expect(textOf("{{a}}", { a: value })).toBe(written);
  });

  it("replaces the template's quotation marks around a value", () => {
    expect(textOf("Send \"{{a}}\" to '{{b}}', {{b}}'s", { a: "Hi there", b: "ada" })).toBe(
      "Send “Hi there” to ada, ada's",
    );
  });

  it.each([
    [499.999999999, "499.999999999"],
    [0.1 + 0.2, "0.30000000000000004"],
    [1e21, "1,000,000,000,000,000,000,000"],
    [49.9, "49.90"],
    [80, "80"],
  ])("writes the amount %d as %s", (amount, written) => {
    expect(textOf("Refund {{amount}} EUR", { amount })).toBe(`Refund ${written} EUR`);
  });

  it("limits each value to 60 characters and the whole text to 300", () => {
    expect(textOf("{{a}}", { a: "x".repeat(1000) })).toBe(`“${"x".repeat(59)}…”`);
    const many = renderSummary("{{a}} ".repeat(20), { a: "x".repeat(1000) });
    expect(many.text.length).toBeLessThanOrEqual(300);
    expect(many.text).toMatch(/…$/);
    expect(textOf("y".repeat(1000), {})).toBe(`${"y".repeat(299)}…`);
    expect(visibleText("ab\u202e", 8)).toBe("ab…");
  });
});

describe("a summary without a template", () => {
  it("names the tool and up to three arguments, scalars first", () => {
    const input = { lines: [1], orderId: "A-1", amount: 5, to: { a: 1 }, note: "n m" };
    expect(defaultSummary({ toolName: "issue_refund" }, input).text).toBe(
      "issue_refund with amount: 5, note: “n m”, orderId: A-1 and 2 more",
    );
    const schema = JSON.stringify({ properties: { lines: {}, orderId: {}, amount: {} } });
    expect(defaultSummary({ toolName: "issue_refund" }, input, schema).text).toBe(
      "issue_refund with orderId: A-1, amount: 5, note: “n m” and 2 more",
    );
    expect(defaultSummary({ toolName: "issue_refund" }, { lines: [1], ok: true }).text).toBe(
      "issue_refund with ok: true, lines: “[1]”",
    );
    expect(defaultSummary({ toolName: "ping" }, {})).toEqual({
      text: "ping without arguments",
      parts: [{ text: "ping without arguments" }],
    });
    expect(defaultSummary({ toolName: "ping" }, null).text).toBe("ping without arguments");
  });

  it("begins with the label of the rule, and uses its names of arguments", () => {
    const refund = {
      toolName: "issue_refund",
      label: "Refund",
      names: { orderId: "Order", "to.a": "Address" },
    };
    const input = { orderId: "A-1", amount: 5, "to.a": 1 };
    expect(defaultSummary(refund, input)).toEqual({
      text: "Refund: amount 5, Order A-1, to.a 1",
      parts: [
        { text: "Refund: amount " },
        { value: "5", path: "amount" },
        { text: ", Order " },
        { value: "A-1", path: "orderId" },
        { text: ", " },
        { value: "to.a", path: "to.a" },
        { text: " " },
        { value: "1", path: "to.a" },
      ],
    });
    expect(defaultSummary(refund, {}).text).toBe("Refund");
    expect(defaultSummary({ ...refund, label: null }, { orderId: "A-1" }).text).toBe(
      "issue_refund with Order: A-1",
    );
  });

  it("shows a value of several lines only if few other values are shown", () => {
    const body = "Dear Ada,\nthank you";
    expect(defaultSummary({ toolName: "email" }, { body, to: "a@b.c", subject: "Hi" }).text).toBe(
      "email with subject: Hi, to: a@b.c and 1 more",
    );
    expect(defaultSummary({ toolName: "email" }, { body, to: "a@b.c" }).text).toBe(
      "email with to: a@b.c, body: “Dear Ada,…”",
    );
  });

  it("marks the name of an argument as a value if it is not a plain name", () => {
    expect(defaultSummary({ toolName: "ping" }, { "x. Approved by lead": 1 }).parts).toEqual([
      { text: "ping with " },
      { value: "x. Approved by lead", path: "x. Approved by lead" },
      { text: ": " },
      { value: "1", path: "x. Approved by lead" },
    ]);
  });
});

/** The same JSON value with the keys of each object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, field]) => [key, reversed(field)] as const);
  return Object.fromEntries(entries.reverse());
}

const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;
const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("\u202e", "\u200b", "\n", "\0", "\u2028", "\ud800", "\u{e0041}", "a", " "),
  }),
);

describe("any summary", () => {
  it("never contains a control, bidi or zero-width character, whatever the arguments are", () => {
    const inputs = fc.dictionary(nasty, fc.oneof(nasty, fc.jsonValue(), fc.array(nasty)));
    fc.assert(
      fc.property(inputs, nasty, nasty, (input, toolName, template) => {
        const path = Object.keys(input)[0] ?? "a";
        for (const { text, parts } of [
          renderSummary(`${template} {{${path}}} {{a}}`, input),
          defaultSummary({ toolName }, input),
        ]) {
          expect(text).not.toMatch(unsafe);
          expect(text.length).toBeLessThanOrEqual(300);
          expect(JSON.stringify(parts)).not.toMatch(unsafe);
          expect(summaryText(parts)).toBe(text);
        }
      }),
    );
  });

  it("is the same in whatever order the keys of the arguments were written", () => {
    const schema = JSON.stringify({ properties: { b: {}, a: {} } });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("a", "b", "c", "1"), fc.jsonValue()), (input) => {
        const sorted = JSON.parse(canonicalJson(input) ?? "null");
        for (const summarize of [
          (value: unknown) => renderSummary("{{a}} and {{b}}", value),
          (value: unknown) => defaultSummary({ toolName: "t" }, value),
          (value: unknown) => defaultSummary({ toolName: "t" }, value, schema),
        ])
          expect(summarize(reversed(input))).toEqual(summarize(sorted));
      }),
    );
  });

  it("does not let a value close its quotation marks", () => {
    const values = fc.string({ unit: fc.constantFrom("“", "”", "„", '"', " ", "a", "\n", ".", "＂", "❞") });
    fc.assert(
      fc.property(values, (value) => {
        const written = textOf("<{{a}}>", { a: value }).slice(1, -1);
        if (/\s/.test(written)) expect(written).toMatch(/^“[^“”]*”$/);
      }),
    );
  });
});

describe("a summary with other values", () => {
  const before = { amount: 95, order: { id: "A-1" } };

  it("replaces what it says of the arguments", () => {
    const { parts } = renderSummary("Refund {{amount}} EUR for {{order.id}} {{none}}", before);
    const after = { amount: 1030.5, order: { id: "B 2" }, none: "now" };
    expect(summaryWith(parts, before, after)).toEqual({
      text: "Refund 1,030.50 EUR for “B 2” (missing)",
      parts: [
        { text: "Refund " },
        { value: "1,030.50", path: "amount" },
        { text: " EUR for " },
        { value: "B 2", path: "order.id" },
        { text: " (missing)" },
      ],
    });
    expect(summaryWith(parts, before, before).parts).toEqual(parts);
    expect(summaryWith(parts, before, {}).text).toBe("Refund (missing) EUR for (missing) (missing)");
  });

  it("keeps the names of arguments that are shown as values", () => {
    const input = { "pay to": "ada", amount: 5 };
    const { text, parts } = defaultSummary({ toolName: "pay" }, input);
    expect(text).toBe("pay with amount: 5, “pay to”: ada");
    expect(summaryWith(parts, input, { ...input, "pay to": "eve" }).text).toBe(
      "pay with amount: 5, “pay to”: eve",
    );
  });
});

it("a question is its own summary, on one line and as a value", () => {
  expect(questionSummary("Approved. Click here\nnow")).toEqual({
    text: "“Approved. Click here…”",
    parts: [{ value: "Approved. Click here…", path: "message", cut: true }],
  });
  expect(questionSummary("y".repeat(200)).text).toBe(`“${"y".repeat(139)}…”`);
});
