import { describe, expect, it } from "vitest";
import { hiddenValue } from "./hidden-text.js";
import { type Hiding, redact } from "./redact.js";
import { restoreHidden } from "./restore-hidden.js";

const input = { card: { number: "4242", name: "A" }, keys: [{ id: 1, secret: "s" }], note: "hello" };
const byPaths = (...paths: string[]): Hiding => ({ redact: paths, redactPatterns: [] });
const byPatterns = (...redactPatterns: string[]): Hiding => ({ redact: [], redactPatterns });

it("hides what the paths name, and nothing else", () => {
  expect(redact(input, byPaths("card.number", "keys.*.secret"))).toEqual({
    card: { number: hiddenValue, name: "A" },
    keys: [{ id: 1, secret: hiddenValue }],
    note: "hello",
  });
  expect(redact(input, byPaths("card"))).toMatchObject({ card: hiddenValue, note: "hello" });
  expect(redact(input, byPaths("*"))).toEqual({ card: hiddenValue, keys: hiddenValue, note: hiddenValue });
  expect(redact(input, byPaths("missing.field", "note.deeper"))).toEqual(input);
  expect(redact(input, byPaths())).toBe(input);
  expect(JSON.stringify(redact(JSON.parse('{"__proto__":{"a":1},"b":2}'), byPaths("b")))).toBe(
    `{"__proto__":{"a":1},"b":"${hiddenValue}"}`,
  );
});

describe("patterns", () => {
  it.each([
    ["card_number", "Card 4111 1111-1111 1111, please", "Card [hidden], please"],
    ["card_number", 4111111111111111, hiddenValue],
    ["card_number", 41111, 41111],
    ["email", "To: ada@example.com.", "To: [hidden]."],
    ["email", "<ada+x@mail.example.co.uk>", "<[hidden]>"],
    ["iban", "from DE89 3704 0044 0532 0130 00", "from [hidden]"],
    ["bearer_token", "Authorization: Bearer abc.def-1", "Authorization: [hidden]"],
    ["jwt", "token-eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.x!", "token-[hidden]!"],
    ["sk-\\w+", "a sk-1 b sk-2", "a [hidden] b [hidden]"],
    ["(?=a)", "banana", "banana"],
  ])("%s hides its part of %j", (pattern, value, seen) => {
    expect(redact({ at: [value] }, byPatterns(pattern))).toEqual({ at: [seen] });
  });

  it("leave keys alone, show one marker for what overlaps, and never match within a marker", () => {
    expect(
      redact({ "a@b.example": "secret key" }, byPatterns("email", "secret", "cret ke", "hidden")),
    ).toEqual({
      "a@b.example": "[hidden]y",
    });
  });

  it.each([
    ["(a+)+$", { text: `${"a".repeat(50)}!` }],
    ["(.*)*x", { text: "y".repeat(10_000) }],
  ])("that take too long hide everything: %s", (pattern, value) => {
    const began = performance.now();
    expect(redact(value, byPatterns(pattern))).toBe(hiddenValue);
    expect(restoreHidden(value, value, { ...byPatterns(pattern), seesEverything: false }).ok).toBe(true);
    expect(restoreHidden({ text: "b" }, value, { ...byPatterns(pattern), seesEverything: false }).ok).toBe(
      false,
    );
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it.each([
    ["letters", "a"],
    ["dashes", "eyJ-"],
    ["at signs", "a@"],
    ["digits", "1 "],
    ["capitals", "DE89"],
  ])("with a name do not go astray over a long text of %s", (_what, piece) => {
    const text = piece.repeat(50_000 / piece.length);
    const named = byPatterns("card_number", "email", "iban", "bearer_token", "jwt");
    expect(redact({ text, amount: 1 }, named)).toMatchObject({ amount: 1 });
  });

  it("reach to the deepest level that arguments may have", () => {
    const deep = (text: string) => JSON.parse(`${'{"a":'.repeat(999)}"${text}"${"}".repeat(999)}`);
    expect(redact(deep("x ada@example.com"), byPatterns("email"))).toEqual(deep("x [hidden]"));
    const restored = restoreHidden(deep("y [hidden]"), deep("x ada@example.com"), {
      ...byPatterns("email"),
      seesEverything: false,
    });
    expect(restored).toEqual({ ok: true, value: deep("y ada@example.com") });
  });
});

describe("an edit", () => {
  const restore = (edited: unknown, original: unknown, hiding: Hiding, all = false) =>
    restoreHidden(edited, original, { ...hiding, seesEverything: all });

  it("gets hidden values back, only where they were hidden", () => {
    const hiding = byPaths("card.number", "keys.*.secret");
    const edited = { ...(redact(input, hiding) as typeof input), note: "bye" };
    expect(restore(edited, input, hiding)).toEqual({ ok: true, value: { ...input, note: "bye" } });
    expect(restore({ card: { number: "1111" } }, input, hiding)).toEqual({
      ok: true,
      value: { card: { number: "1111" } },
    });
    expect(restore({ note: hiddenValue }, input, hiding)).toEqual({ ok: false, fields: ["input.note"] });
    expect(restore({ keys: [{}, { secret: hiddenValue }] }, input, hiding)).toEqual({
      ok: false,
      fields: ["input.keys.1.secret"],
    });
    expect(restore({ note: hiddenValue }, input, byPaths())).toEqual({
      ok: true,
      value: { note: hiddenValue },
    });
  });

  const mail = { text: "From a@x.example to b@y.example", card: 4111111111111111, said: "[hidden] stays" };
  const patterns = byPatterns("email", "card_number");

  it("gets hidden parts of texts back, in order", () => {
    expect(redact(mail, patterns)).toEqual({
      text: "From [hidden] to [hidden]",
      card: hiddenValue,
      said: "[hidden] stays",
    });
    expect(
      restore({ text: "[hidden], then [hidden]!", card: hiddenValue, said: "[hidden] goes" }, mail, patterns),
    ).toEqual({
      ok: true,
      value: { text: "a@x.example, then b@y.example!", card: 4111111111111111, said: "[hidden] goes" },
    });
    const both = { text: "[hidden] a@x.example" };
    expect(restore({ text: "[hidden]: [hidden]" }, both, patterns)).toEqual({
      ok: true,
      value: { text: "[hidden]: a@x.example" },
    });
  });

  it.each([
    ["one marker less", { text: "To [hidden]" }, "input.text"],
    ["one more", { text: "[hidden][hidden][hidden]" }, "input.text"],
    ["all replaced", { text: "To nobody" }, "input.text"],
    ["another number", { card: 1 }, "input.card"],
    ["another kind of value", { text: null }, "input.text"],
    ["a marker of one's own", { said: "[hidden][hidden]" }, "input.said"],
    ["a marker in a new field", { list: [{ new: "[hidden]" }] }, "input.list.0.new"],
  ])("is refused with %s", (_what, edited, field) => {
    expect(restore({ ...mail, ...edited }, mail, patterns)).toEqual({ ok: false, fields: [field] });
    expect(restore({ ...mail, ...edited }, mail, patterns, true)).toMatchObject({ ok: true });
  });
});
