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
    ["x*", "banana", "banana"],
    ["(?i)secret\\b.", "The SECRET. The secretary", "The [hidden] The secretary"],
    ["\\$5\\.00", "from $5.00 to $5000", "from [hidden] to $5000"],
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
    ["nested quantifiers", "(a+)+$", `${"a".repeat(50)}!`],
    ["an ambiguous star", "(.*)*x", "y".repeat(2_000)],
  ])("that would run away elsewhere are matched in linear time: %s", (_what, pattern, text) => {
    expect(redact({ text, amount: 1 }, byPatterns(pattern))).toEqual({ text, amount: 1 });
  });

  it.each([
    ["too much for one search", "[ab]*a[ab]{500}[cd]", "ab".repeat(10_000_000)],
    ["a search to the end for each match", "a[^z]*z|a", "a".repeat(100_000)],
  ])("that take too long hide everything: %s", (_what, pattern, text) => {
    const value = { text, amount: 1 };
    const hiding = { ...byPatterns(pattern), seesEverything: false };
    const began = performance.now();
    expect(redact(value, hiding)).toBe(hiddenValue);
    expect(restoreHidden({ text: "b" }, value, hiding)).toEqual({ ok: false, fields: ["input"] });
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it("that an earlier version stored and that are none any more hide everything", () => {
    const hiding = { ...byPatterns("(?=a)"), seesEverything: false };
    expect(redact({ text: "a" }, hiding)).toBe(hiddenValue);
    expect(restoreHidden({ text: "a" }, { text: "a" }, hiding)).toEqual({ ok: false, fields: ["input"] });
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
    expect(restore({ note: hiddenValue }, input, hiding)).toEqual({ ok: false, fields: ["input.note"] });
    expect(restore({ keys: [{}, { secret: "new" }, { secret: hiddenValue }, {}] }, {}, hiding)).toEqual({
      ok: false,
      fields: ["input.keys.2.secret"],
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

  describe("of a list gives each item back what was hidden of it,", () => {
    const ann = { to: "Ann", amount: 10, iban: "A-IBAN" };
    const bob = { to: "Bob", amount: 900, iban: "B-IBAN" };
    const cem = { to: "Cem", amount: 5, iban: "C-IBAN" };
    const before = { payments: [ann, bob, cem] };
    const hiding = byPaths("payments.*.iban");
    const seen = (payment: typeof ann) => ({ ...payment, iban: hiddenValue });
    const after = (...payments: unknown[]) => restore({ payments }, before, hiding);
    const is = (...payments: unknown[]) => ({ ok: true, value: { payments } });

    it("whichever are removed, moved or added", () => {
      expect(after(seen(bob))).toEqual(is(bob));
      expect(after(seen(ann), seen(cem))).toEqual(is(ann, cem));
      expect(after(seen(cem), seen(bob), seen(ann))).toEqual(is(cem, bob, ann));
      const dan = { to: "Dan", amount: 1, iban: "D-IBAN" };
      expect(after(dan, seen(ann), seen(bob), seen(cem))).toEqual(is(dan, ann, bob, cem));
      expect(after(seen(ann), seen(bob), seen(cem), dan)).toEqual(is(ann, bob, cem, dan));
    });

    it("also where items are changed, as long as all stand where they stood", () => {
      const less = { ...bob, amount: 800 };
      expect(after(seen(ann), seen(less), seen(cem))).toEqual(is(ann, less, cem));
      const fewer = [less, cem].map((payment) => ({ ...payment, amount: 1 }));
      expect(after(seen(ann), ...fewer.map(seen))).toEqual(is(ann, ...fewer));
      const dan = { to: "Dan", amount: 1, iban: "D-IBAN" };
      expect(after(seen(ann), seen(less), seen(cem), dan)).toEqual(is(ann, less, cem, dan));
      const only = { payments: [ann] };
      const more = { ...ann, to: "Anna", amount: 11 };
      expect(restore({ payments: [seen(more), dan] }, only, hiding)).toEqual(is(more, dan));
    });

    it("and is refused where it cannot be told which item one was", () => {
      const unclear = (...places: number[]) => ({
        ok: false,
        fields: places.map((place) => `input.payments.${place}`),
      });
      expect(after(seen({ ...bob, amount: 800 }))).toEqual(unclear(0));
      expect(after(seen(bob), seen({ ...ann, amount: 11 }), seen(cem))).toEqual(unclear(1));
      expect(after(seen(ann), seen(ann), seen(bob), seen(cem))).toEqual(unclear(0, 1));
      const less = { ...bob, amount: 800 };
      const dan = { to: "Dan", amount: 1, iban: "D-IBAN" };
      expect(after(seen(less), dan, seen(cem))).toEqual({
        ok: false,
        fields: ["input.payments.0", "input.payments.1.iban"],
      });
      expect(after(seen(less), seen({ ...ann, amount: 9 }), seen(cem))).toEqual(unclear(0, 1));
      expect(after(seen(less), seen(bob), seen(cem))).toEqual(unclear(0));
      expect(restore({ payments: { 0: seen(bob) } }, before, hiding).ok).toBe(false);
      const twins = { payments: [ann, { ...ann, iban: "other" }] };
      expect(restore({ payments: [seen(ann)] }, twins, hiding)).toEqual(unclear(0));
      expect(restore({ payments: [seen(ann), seen(ann)] }, twins, hiding)).toEqual({
        ok: true,
        value: twins,
      });
    });

    it("nor is it moved to where no path hides it", () => {
      const keys = {
        keys: [
          { id: 1, secret: "s" },
          { id: 2, secret: "t" },
        ],
      };
      const [first, second] = keys.keys;
      const moved = { keys: [second, { ...first, secret: hiddenValue }] };
      expect(restore(moved, keys, byPaths("keys.0.secret"))).toEqual({ ok: false, fields: ["input.keys.1"] });
      const same = {
        keys: [
          { ...first, secret: hiddenValue },
          { id: 3, secret: "t" },
        ],
      };
      expect(restore(same, keys, byPaths("keys.0.secret"))).toMatchObject({
        value: { keys: [first, { id: 3 }] },
      });
    });

    it("by patterns as well, and within each other", () => {
      const mails = { to: ["a@x.example", "b@y.example", "ops"] };
      expect(restore({ to: [hiddenValue, hiddenValue] }, mails, byPatterns("email"))).toEqual({
        ok: true,
        value: { to: ["a@x.example", "b@y.example"] },
      });
      const texts = { groups: [["Ann a@x.example"], ["Bob b@x.example", "plain"]] };
      const removed = { groups: [["Bob [hidden]", "plain"]] };
      expect(restore(removed, texts, byPatterns("email"))).toEqual({
        ok: true,
        value: { groups: [["Bob b@x.example", "plain"]] },
      });
      expect(restore({ groups: [["[hidden]", "plain"]] }, texts, byPatterns("email")).ok).toBe(false);
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
    const seen = redact(mail, patterns) as typeof mail;
    expect(restore({ ...seen, ...edited }, mail, patterns)).toEqual({ ok: false, fields: [field] });
    expect(restore({ ...seen, ...edited }, mail, patterns, true)).toMatchObject({ ok: true });
  });

  describe("by somebody who does not see a value", () => {
    const secret = { pin: "4242", code: 1234, card: 4111111111111111, text: "Card 4111 1111 1111 1111" };
    const hiding = { redact: ["pin", "code"], redactPatterns: ["card_number"] };
    const seen = redact(secret, hiding) as typeof secret;
    const guesses: [string, unknown, unknown][] = [
      ["pin", "4242", "4243"],
      ["code", 1234, 1235],
      ["card", 4111111111111111, 4111111111111112],
      ["text", "Card 4111 1111 1111 1111", "Card 4111 1111 1111 1112"],
      ["pin", null, { pin: hiddenValue }],
    ];

    it.each(guesses)("is refused alike where they guess %s, rightly or wrongly", (field, right, wrong) => {
      const answers = [right, wrong].map((guess) => restore({ ...seen, [field]: guess }, secret, hiding));
      expect(answers[0]).toEqual({ ok: false, fields: [`input.${field}`] });
      expect(answers[1]).toEqual(answers[0]);
      expect(restore({ ...seen, [field]: right }, secret, hiding, true)).toMatchObject({ ok: true });
    });

    it("may fill a hidden field that there is not", () => {
      expect(restore({ pin: "new" }, {}, hiding)).toEqual({ ok: true, value: { pin: "new" } });
    });
  });
});
