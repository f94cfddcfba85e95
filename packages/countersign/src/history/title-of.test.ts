import { describe, expect, it } from "vitest";
import { titleOf } from "./title-of.js";

describe("titleOf", () => {
  it.each([
    [null, null],
    ['{"content":""}', null],
    ['{"content":"Refund A-1"}', "Refund A-1"],
    ['{"id":"x","content":"Say \\"hi\\"\\nand more","role":"user"}', 'Say "hi"…'],
    ['{"content":"Cut off in an escape \\u00', "Cut off in an escape"],
    ['{"content":"Cut off after a backslash \\', "Cut off after a backslash"],
    ['{"content":"a\\u202eb"}', "a⟨U+202E⟩b"],
  ])("turns %s into the title %s", (json, title) => {
    expect(titleOf(json)?.trim() ?? null).toBe(title);
  });
});
