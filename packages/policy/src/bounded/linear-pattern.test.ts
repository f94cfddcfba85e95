import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LinearPattern, PatternProblem } from "./linear-pattern.js";
import { TooMuchWork, WorkLimit } from "./work-limit.js";

const test = (pattern: string, text: string) =>
  new WorkLimit().run((meter) => new LinearPattern(pattern).test(text, meter));
const spans = (pattern: string, text: string) =>
  new WorkLimit().run((meter) => new LinearPattern(pattern).spans(text, meter));

/** Expressions in the syntax that RE2 and JavaScript share, with flags that make them mean the same. */
const atom = fc.constantFrom(
  "a",
  "b",
  "ab",
  ".",
  "[ab]",
  "[^a]",
  "\\d",
  "\\w",
  "\\b",
  "é",
  "😀",
  "^",
  "$",
  "\\.",
);
const expression: fc.Arbitrary<string> = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc.tuple(tie("any"), tie("any")).map(([one, other]) => `${one}${other}`),
    fc.tuple(tie("any"), tie("any")).map(([one, other]) => `(?:${one}|${other})`),
    fc
      .tuple(tie("any"), fc.constantFrom("*", "+", "?", "{1,2}", "*?"))
      .map(([one, times]) => `(?:${one})${times}`),
  ),
})).any;
const text = fc.string({ unit: fc.constantFrom("a", "b", "1", ".", "é", "😀", " "), maxLength: 12 });

describe("a linear pattern", () => {
  it("matches a text if JavaScript's RegExp matches it", () => {
    fc.assert(
      fc.property(expression, text, (pattern, searched) => {
        expect(test(pattern, searched)).toBe(new RegExp(pattern, "su").test(searched));
      }),
      { numRuns: 2_000 },
    );
  });

  it("has its first match where JavaScript's RegExp has it", () => {
    fc.assert(
      fc.property(expression, text, (pattern, searched) => {
        const [first] = [...searched.matchAll(new RegExp(pattern, "gsu"))];
        const [span] = spans(`(?s)${pattern}`, searched);
        // Only the start is compared: engines differ in where a repeated empty match ends.
        expect(span?.from).toBe(first?.index);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(["(", "(?=a)", "(?<!a)b", "\\1", "a{2000}", "[z-a]", "\\p{Nothing}"])(
    "is refused if its syntax is invalid or not supported: %s",
    (pattern) => expect(() => new LinearPattern(pattern)).toThrow(PatternProblem),
  );

  it.each([
    ["repetitions in a row", "a{1000}".repeat(50)],
    ["repetitions of repetitions", "((a{9}){10}){10}".repeat(10)],
    ["groups in groups", "(".repeat(400) + ")".repeat(400)],
    ["many Unicode classes", "\\pL".repeat(200)],
  ])("is refused before it is compiled if it is too large: %s", (_what, pattern) => {
    expect(() => new LinearPattern(pattern)).toThrow(/too large/);
  });

  it.each(["\\Q{9}(\\E{3}", "[]{9}]{3}", "[\\]{9}]", "[[:alpha:]{9}]{2,}", "x{,5}"])(
    "is not mistaken for a large one: %s",
    (pattern) => expect(() => new LinearPattern(pattern)).not.toThrow(),
  );

  it("does not search a text if that may take too much work", () => {
    expect(() => test("[ab]*a[ab]{500}[cd]", "ab".repeat(10_000))).toThrow(TooMuchWork);
    expect(test("[ab]*a[ab]{500}[cd]", `a${"b".repeat(500)}d`)).toBe(true);
  });
});
