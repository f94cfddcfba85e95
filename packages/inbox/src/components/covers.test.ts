import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const source = join(import.meta.dirname, "..");
const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".tsx"))
  .map((file) => ({ file, text: readFileSync(join(source, file), "utf8") }));
const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

it("every popup counts itself among what covers the page, except for tooltips and messages", () => {
  const popups = files
    .map(({ file, text }) => ({
      file,
      popups: count(
        text,
        /<(?!Tooltip|Toast)\w+\.Popup\b|<dialog\b|(?<!\[)role="(?:(?:alert)?dialog|menu)"/g,
      ),
      covers: count(text, /<Covers \/>/g),
    }))
    .filter(({ popups }) => popups > 0);
  expect(popups.length).toBeGreaterThan(2);
  expect(popups.filter(({ popups, covers }) => popups !== covers)).toEqual([]);
});

it("every lazy dialog and menu covers the page while it loads", () => {
  const bare = files.flatMap(({ file, text }) =>
    [
      ...text.matchAll(
        /<LazyBoundary\b[^>]*>(?:(?!<\/LazyBoundary>)[\s\S])*?<(\w*(?:Dialog|Menu|Palette))\b/g,
      ),
    ].map(([, part]) => `${file}: ${part}`),
  );
  expect(bare).toEqual([]);
});
