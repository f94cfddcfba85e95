import { describe, expect, it } from "vitest";
import { hiddenValue } from "./hidden-text.js";
import { type Hiding, redact } from "./redact.js";
import { restoreHidden } from "./restore-hidden.js";

const input = { card: { number: "4242", name: "A" }, keys: [{ id: 1, secret: "s" }], note: "hello" };
const byPaths = (...paths: string[]): Hiding => ({ redact: paths, redactPatterns: [] });
const byPatterns = (...redactPatterns: string[]): Hiding => ({ redact: [], redactPatterns });

it("redact hides the values at the given paths, and nothing else", () => {
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

describe("a redaction pattern", () => {
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
  ])("hides only its matches: %s in %j", (pattern, value, expected) => {
    expect(redact({ at: [value] }, byPatterns(pattern))).toEqual({ at: [expected] });
  });

  it("does not change keys, shares one marker with overlapping matches, and never matches a marker", () => {
    expect(
      redact({ "a@b.example": "secret key" }, byPatterns("email", "secret", "cret ke", "hidden")),
    ).toEqual({
      "a@b.example": "[hidden]y",
    });
  });

  it.each([
    ["nested quantifiers", "(a+)+$", `${"a".repeat(50)}!`],
    ["an ambiguous star", "(.*)*x", "y".repeat(2_000)],
  ])("is matched without backtracking: %s", (_what, pattern, text) => {
    expect(redact({ text, amount: 1 }, byPatterns(pattern))).toEqual({ text, amount: 1 });
  });

  it.each([
    ["too much for one search", "[ab]*a[ab]{500}[cd]", "ab".repeat(10_000_000)],
    ["a search to the end for each match", "a[^z]*z|a", "a".repeat(100_000)],
  ])("hides everything if it takes too long: %s", (_what, pattern, text) => {
    const value = { text, amount: 1 };
    const hiding = { ...byPatterns(pattern), seesEverything: false };
    expect(redact(value, hiding)).toBe(hiddenValue);
    expect(restoreHidden({ text: "b" }, value, hiding)).toEqual({ ok: false, fields: ["input"] });
  });

  it("searches arguments of a megabyte for several patterns", () => {
    const text = "Refund the order of the customer. ".repeat(30_000);
    const hiding = byPatterns("card_number", "email", "ending in \\d{4}", "(?i)password: \\w+");
    expect(redact({ text: `${text}ending in 4711` }, hiding)).toEqual({ text: `${text}${hiddenValue}` });
  });

  it("hides everything if a stored pattern is not valid", () => {
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
  ])("with a predefined name stays within its limit for a long text of %s", (_what, piece) => {
    const text = piece.repeat(50_000 / piece.length);
    const named = byPatterns("card_number", "email", "iban", "bearer_token", "jwt");
    expect(redact({ text, amount: 1 }, named)).toMatchObject({ amount: 1 });
  });

  it("reaches the deepest level that arguments may have", () => {
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

  it("gets hidden values back only at the paths where they were hidden", () => {
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

  it("gets the hidden parts of a text back in their order", () => {
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

  describe("of a list", () => {
    const ann = { to: "Ann", amount: 10, iban: "A-IBAN" };
    const bob = { to: "Bob", amount: 900, iban: "B-IBAN" };
    const cem = { to: "Cem", amount: 5, iban: "C-IBAN" };
    const before = { payments: [ann, bob, cem] };
    const hiding = byPaths("payments.*.iban");
    const redacted = (payment: typeof ann) => ({ ...payment, iban: hiddenValue });
    const restoreList = (...payments: unknown[]) => restore({ payments }, before, hiding);
    const restored = (...payments: unknown[]) => ({ ok: true, value: { payments } });

    it("restores the hidden values of items if items are removed, moved or added", () => {
      expect(restoreList(redacted(bob))).toEqual(restored(bob));
      expect(restoreList(redacted(ann), redacted(cem))).toEqual(restored(ann, cem));
      expect(restoreList(redacted(cem), redacted(bob), redacted(ann))).toEqual(restored(cem, bob, ann));
      const dan = { to: "Dan", amount: 1, iban: "D-IBAN" };
      expect(restoreList(dan, redacted(ann), redacted(bob), redacted(cem))).toEqual(
        restored(dan, ann, bob, cem),
      );
      expect(restoreList(redacted(ann), redacted(bob), redacted(cem), dan)).toEqual(
        restored(ann, bob, cem, dan),
      );
    });

    it("restores the hidden values of changed items if all items keep their places", () => {
      const less = { ...bob, amount: 800 };
      expect(restoreList(redacted(ann), redacted(less), redacted(cem))).toEqual(restored(ann, less, cem));
      const fewer = [less, cem].map((payment) => ({ ...payment, amount: 1 }));
      expect(restoreList(redacted(ann), ...fewer.map(redacted))).toEqual(restored(ann, ...fewer));
      const dan = { to: "Dan", amount: 1, iban: "D-IBAN" };
      expect(restoreList(redacted(ann), redacted(less), redacted(cem), dan)).toEqual(
        restored(ann, less, cem, dan),
      );
      const only = { payments: [ann] };
      const more = { ...ann, to: "Anna", amount: 11 };
      expect(restore({ payments: [redacted(more), dan] }, only, hiding)).toEqual(restored(more, dan));
    });

    it("is refused if it is unclear to which item a hidden value belongs", () => {
      const unclear = (...places: number[]) => ({
        ok: false,
        fields: places.map((place) => `input.payments.${place}`),
      });
      expect(restoreList(redacted({ ...bob, amount: 800 }))).toEqual(unclear(0));
      expect(restoreList(redacted(bob), redacted({ ...ann, amount: 11 }), redacted(cem))).toEqual(unclear(1));
      expect(restoreList(redacted(ann), redacted(ann), redacted(bob), redacted(cem))).toEqual(unclear(0, 1));
      const less = { ...bob, amount: 800 };
      const dan = { to: "Dan", amount: 1, iban: "D-IBAN" };
      expect(restoreList(redacted(less), dan, redacted(cem))).toEqual({
        ok: false,
        fields: ["input.payments.0", "input.payments.1.iban"],
      });
      expect(restoreList(redacted(less), redacted({ ...ann, amount: 9 }), redacted(cem))).toEqual(
        unclear(0, 1),
      );
      expect(restoreList(redacted(less), redacted(bob), redacted(cem))).toEqual(unclear(0));
      expect(restore({ payments: { 0: redacted(bob) } }, before, hiding).ok).toBe(false);
      const twins = { payments: [ann, { ...ann, iban: "other" }] };
      expect(restore({ payments: [redacted(ann)] }, twins, hiding)).toEqual(unclear(0));
      expect(restore({ payments: [redacted(ann), redacted(ann)] }, twins, hiding)).toEqual({
        ok: true,
        value: twins,
      });
    });

    it("is refused if a hidden value would move to where no path hides it", () => {
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

    it("restores values that patterns hide, also in nested lists", () => {
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
    ["one marker more", { text: "[hidden][hidden][hidden]" }, "input.text"],
    ["all markers replaced", { text: "To nobody" }, "input.text"],
    ["another number", { card: 1 }, "input.card"],
    ["another kind of value", { text: null }, "input.text"],
    ["an additional marker", { said: "[hidden][hidden]" }, "input.said"],
    ["a marker in a new field", { list: [{ new: "[hidden]" }] }, "input.list.0.new"],
  ])("is refused with %s, unless the editor sees everything", (_what, edited, field) => {
    const redacted = redact(mail, patterns) as typeof mail;
    expect(restore({ ...redacted, ...edited }, mail, patterns)).toEqual({ ok: false, fields: [field] });
    expect(restore({ ...redacted, ...edited }, mail, patterns, true)).toMatchObject({ ok: true });
  });

  describe("by somebody who does not see a value", () => {
    const secret = { pin: "4242", code: 1234, card: 4111111111111111, text: "Card 4111 1111 1111 1111" };
    const hiding = { redact: ["pin", "code"], redactPatterns: ["card_number"] };
    const redacted = redact(secret, hiding) as typeof secret;
    const guesses: [string, unknown, unknown][] = [
      ["pin", "4242", "4243"],
      ["code", 1234, 1235],
      ["card", 4111111111111111, 4111111111111112],
      ["text", "Card 4111 1111 1111 1111", "Card 4111 1111 1111 1112"],
      ["pin", null, { pin: hiddenValue }],
    ];

    it.each(guesses)(
      "is refused in the same way for a right and for a wrong guess of %s",
      (field, right, wrong) => {
        const answers = [right, wrong].map((guess) =>
          restore({ ...redacted, [field]: guess }, secret, hiding),
        );
        expect(answers[0]).toEqual({ ok: false, fields: [`input.${field}`] });
        expect(answers[1]).toEqual(answers[0]);
        expect(restore({ ...redacted, [field]: right }, secret, hiding, true)).toMatchObject({ ok: true });
      },
    );

    it("may fill a hidden field that is missing", () => {
      expect(restore({ pin: "new" }, {}, hiding)).toEqual({ ok: true, value: { pin: "new" } });
    });
  });
});
