import { expect, it } from "vitest";
import { hiddenValue, redact, restoreHidden } from "./redact.js";

const input = { card: { number: "4242", name: "A" }, keys: [{ id: 1, secret: "s" }], note: "hello" };

it("hides what the paths name, and nothing else", () => {
  expect(redact(input, ["card.number", "keys.*.secret"])).toEqual({
    card: { number: hiddenValue, name: "A" },
    keys: [{ id: 1, secret: hiddenValue }],
    note: "hello",
  });
  expect(redact(input, ["card"])).toMatchObject({ card: hiddenValue, note: "hello" });
  expect(redact(input, ["*"])).toEqual({ card: hiddenValue, keys: hiddenValue, note: hiddenValue });
  expect(redact(input, ["missing.field", "note.deeper"])).toEqual(input);
  expect(redact(input, [])).toBe(input);
  expect(JSON.stringify(redact(JSON.parse('{"__proto__":{"a":1},"b":2}'), ["b"]))).toBe(
    `{"__proto__":{"a":1},"b":"${hiddenValue}"}`,
  );
});

it("puts hidden values back into an edit, only where they were hidden", () => {
  const paths = ["card.number", "keys.*.secret"];
  const edited = { ...(redact(input, paths) as typeof input), note: "bye" };
  expect(restoreHidden(edited, input, paths)).toEqual({ ...input, note: "bye" });
  expect(restoreHidden({ note: hiddenValue }, input, paths)).toEqual({ note: hiddenValue });
  expect(restoreHidden({ card: { number: "1111" } }, input, paths)).toEqual({ card: { number: "1111" } });
});
