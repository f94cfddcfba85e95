import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** Private idioms and second names of things that have a word already, with what to write instead. */
const retired: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\b(is|are|was|were|be|been) told of\b/i, "gets, is notified of"],
  [/\b(takes?|took|taken) note\b/i, "acknowledges, records"],
  [/\bwhere left out\b/i, "@default"],
  [/^\s*\*?\s*left out: /i, "@default"],
  [/\bis let be\b/i, "is not changed"],
  [/\bsuch as it stands\b/i, "unchanged"],
  [/\bwhoever may\b/i, "people who may"],
  [/\brungs?\b/i, "escalation step"],
  [/\bladders?\b/i, "escalation"],
  [/\b(agentSaid|readSaid)\b/, "modelText"],
  [/\bhalf (of )?a surrogate pair\b/i, "unpaired surrogate"],
  [/\bin a way that means nothing\b/i, "invalid usage"],
  [/\b(is|are) mended\b/i, "is fixed"],
  [/\blengthen(s|ed)? (the|its|their) time\b/i, "extend the deadline"],
  [/\bnobody has (looked into|said yet what became of)\b/i, "unresolved"],
  [/\bis none of ours\b/i, "is not ours"],
  [/\bhas not taken note\b/i, "unacknowledged"],
  [/\b(backing|voices?)\b|\bbacking[A-Z]/i, "the basis of an approval, approver, vote"],
  [/\b(message digests?|digests? of messages|gathered digests?)\b/i, "roundup"],
];

/** Limits are named `max…` and `min…`. */
const retiredNames = /\b(const|let) (most|longest|shortest)[A-Z]\w*/;

const root = join(import.meta.dirname, "../..");

/** All sources, tests and documentation. The SQL of migrations keeps its wording. */
const files = execFileSync(
  "git",
  [
    "ls-files",
    "packages/*.ts",
    "packages/*.tsx",
    "packages/*.mjs",
    "apps/*.ts",
    "apps/*.tsx",
    "tests/*.ts",
    "tests/*.tsx",
    "tests/*.mjs",
    "scripts/*.mjs",
    "docs/*.md",
    "*/README.md",
    "README.md",
  ],
  { cwd: root, encoding: "utf8" },
)
  .split("\n")
  .filter(
    (file) => file !== "" && !file.endsWith(".generated.ts") && !file.endsWith("retired-words.test.ts"),
  );

const anything = new RegExp([...retired.map(([{ source }]) => source), retiredNames.source].join("|"), "im");

function retiredIn(file: string, text: string): string[] {
  if (!anything.test(text)) return [];
  return text.split("\n").flatMap((line, index) => {
    const place = `${file}:${index + 1}`;
    const phrases = retired.flatMap(([phrase, instead]) => {
      const found = phrase.exec(line)?.[0].trim();
      return found === undefined ? [] : [`${place}: "${found}"; write: ${instead}`];
    });
    const name = /^packages\/inbox\/|\.test\.ts$|^tests\/|^apps\//.test(file)
      ? undefined
      : retiredNames.exec(line)?.[0];
    return name === undefined ? phrases : [...phrases, `${place}: "${name}"; name it max… or min…`];
  });
}

it("sources and documentation use no retired words", () => {
  expect(files.length).toBeGreaterThan(300);
  expect(files.flatMap((file) => retiredIn(file, readFileSync(join(root, file), "utf8")))).toEqual([]);
});

it("a retired phrase is reported with its place and its replacement", () => {
  expect(retiredIn("a.ts", "// fine\n/** 30 minutes where left out. */\nconst longestName = 1;")).toEqual([
    'a.ts:2: "where left out"; write: @default',
    'a.ts:3: "const longestName"; name it max… or min…',
  ]);
});
