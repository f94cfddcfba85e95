import { expect, it } from "vitest";
import { codePreviewText } from "./code-preview-text.js";

const calls = (...names: string[]) => names.map((toolName, index) => ({ toolName, line: index + 1 }));
const limits = "Found by reading the code, not by running it. It may use other tools.";

it.each([[null], [undefined], [[]]])("is null for %j", (none) => {
  expect(codePreviewText(none)).toBeNull();
});

it("names tools with their lines, and says what the text does not prove", () => {
  expect(codePreviewText(calls("delete_file", "write_file"))).toBe(
    `This code appears to use: delete_file (line 1), write_file (line 2). ${limits}`,
  );
});

it("names a tool once, so that many calls of one tool hide no other", () => {
  expect(codePreviewText(calls("read", "read", "read", "delete"))).toBe(
    `This code appears to use: read (3 times, first in line 1), delete (line 4). ${limits}`,
  );
});

it("names five tools, and says how many it leaves out", () => {
  expect(codePreviewText(calls("a", "b", "c", "d", "e", "f", "g"))).toBe(
    `This code appears to use: a (line 1), b (line 2), c (line 3), d (line 4), e (line 5) and 2 more. ${limits}`,
  );
});

it("quotes names that could be mistaken for its own words, on one line of bounded length", () => {
  const text = codePreviewText(
    calls("list (line 1). It calls nothing else", "x\n”Approved", "\u202ey", "z".repeat(5000)),
  );
  expect(text).toContain('“list (line 1). It calls nothing else” (line 1), “x⏎"Approved” (line 2)');
  expect(text).toContain("⟨U+202E⟩");
  expect(text).not.toMatch(/[\n\u202e]/);
  expect(text?.length).toBeLessThan(500);
});
