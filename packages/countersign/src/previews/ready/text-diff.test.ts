import fc from "fast-check";
import { expect, it } from "vitest";
import { textDiff } from "./text-diff.js";

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`);

it("textDiff shows the lines that differ, with three lines around them", () => {
  const before = lines(1, 20);
  const after = before.with(11, "another").toSpliced(12, 0, "one more");
  expect(textDiff("notes.txt", before.join("\n"), after.join("\n")).effects).toEqual([
    {
      target: "notes.txt @@ line 12",
      before: lines(9, 15).join("\n"),
      after: [...lines(9, 11), "another", "one more", ...lines(13, 15)].join("\n"),
      count: 2,
    },
  ]);
});

it("textDiff shows a repeated line that was added once more", () => {
  expect(textDiff("a", "x\nx\n", "x\nx\nx\n").effects).toEqual([
    { target: "a @@ line 3", before: "x\nx\n", after: "x\nx\nx\n", count: 1 },
  ]);
});

it("textDiff shows new and deleted files", () => {
  expect(textDiff("new.txt", null, "a\nb\n").effects).toEqual([
    { target: "new.txt", after: "a\nb\n", count: 2 },
  ]);
  expect(textDiff("old.txt", "a", null).effects).toEqual([{ target: "old.txt", before: "a", count: 1 }]);
  expect(textDiff("none.txt", null, null).effects).toEqual([]);
});

it("textDiff changes its state with each line, shown or not", () => {
  const [before, after] = [lines(1, 50), lines(1, 50).with(40, "another")];
  const first = textDiff("a", before.join("\n"), after.join("\n"));
  const other = textDiff("a", before.with(2, "x").join("\n"), after.with(2, "x").join("\n"));
  expect(other.effects).toEqual(first.effects);
  expect(other.state).not.toBe(first.state);
  expect(textDiff("a", null, "").state).not.toBe(textDiff("a", "", null).state);
});

it("textDiff keeps effects small and storable, whatever the texts", () => {
  const some = fc.array(fc.constantFrom("a", "b", "", "\0\ud800", "long ".repeat(1000)), { maxLength: 12 });
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 300 }), some, some, (target, old, now) => {
      const [before, after] = [old.join("\n"), now.join("\n")];
      const { effects } = textDiff(target, before, after);
      expect(effects).toHaveLength(before === after ? 0 : 1);
      for (const effect of effects) {
        expect(effect.target.length).toBeLessThanOrEqual(200);
        expect(effect.count).toBeGreaterThan(0);
        for (const side of [effect.before, effect.after]) {
          expect(String(side).length).toBeLessThanOrEqual(2000);
          expect(String(side)).not.toMatch(/\0|\p{Surrogate}/u);
        }
      }
    }),
  );
});
