import { readdirSync, readFileSync } from "node:fs";
import { parseAst } from "vite";
import { describe, expect, it } from "vitest";

const english =
  /\b(?:calls?|called|calling|proposed?|proposes|proposing|proposals?|judged?|judges|judging|found out|finding out|states?|grants?)\b/i;
const german =
  /\b(?:Aufrufe?[ns]?|ruft|vorgeschlagen\p{L}*|Vorschl[aä]g\p{L}*|beurteil\p{L}*|ermittel\p{L}*|Zust[aä]nd(?:e|en|es|s)?|\p{L}*[Rr]ichtlinie\p{L}*|Auftraggeber\p{L}*|Freigebenden?|Dauerfreigabe\p{L}*)\b/iu;

/** Texts in which a word means something else, each with the reason. */
const allowed = new Map([
  ["Vorgeschlagene Regeln", "rules are suggested, not requests"],
  ["Vorgeschlagene Regeln sehen nur Auditoren, denn sie enthalten Bedingungen der Regeln.", "so they are"],
  ["Regeln werden für Dateien mit Regeln vorgeschlagen. Hier stehen die Regeln im Code.", "so they are"],
  ["Noch zu wenige Entscheidungen für einen Vorschlag.", "a rule is suggested"],
]);

/** A text of a program, and where it stands. */
interface Text {
  text: string;
  at: string;
}

/** Parts of programs whose texts nobody reads: modules, types, and what is compared. */
const code = /^(?:Import\w+|BinaryExpression|TS(?!As|Satisfies)\w+)$/;
const names = new Set(["key", "property", "source", "test"]);

function textsOf(file: URL): Text[] {
  const source = readFileSync(file, "utf8");
  const at = file.pathname.split("/").slice(-2).join("/");
  const texts: Text[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const { type, value, ...parts } = node as Record<string, unknown>;
    if (typeof type !== "string" || code.test(type)) return;
    if (type === "Literal" && typeof value === "string") texts.push({ text: value, at });
    if (type === "TemplateElement") texts.push({ text: (value as { raw: string }).raw, at });
    for (const [name, part] of Object.entries({ value, ...parts })) if (!names.has(name)) visit(part);
  };
  visit(parseAst(source, { lang: "ts" }).body);
  return texts;
}

function textsIn(folder: string): Text[] {
  const place = new URL(folder, import.meta.url);
  return readdirSync(place)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .flatMap((name) => textsOf(new URL(name, place)));
}

function refused(texts: readonly Text[], words: RegExp): string[] {
  return texts
    .filter(({ text }) => words.test(text.replace(/\{\w+\}/g, "")) && !allowed.has(text))
    .map(({ text, at }) => `${at}: ${text}`);
}

describe("what approvers read is in the words of their business", () => {
  it.each([
    ["en/", english],
    ["../../../policy/src/display/", english],
    ["de/", german],
  ])("in %s", (folder, words) => {
    const texts = textsIn(folder);
    expect(texts.length).toBeGreaterThan(100);
    expect(refused(texts, words)).toEqual([]);
  });

  it("and only texts that there are are allowed", () => {
    const texts = new Set([...textsIn("en/"), ...textsIn("de/")].map(({ text }) => text));
    expect([...allowed.keys()].filter((text) => !texts.has(text))).toEqual([]);
  });

  it.each([
    ["Skip to the open call", english],
    ["The agent proposed it", english],
    ["if the state has changed", english],
    ["Aufrufe von refund", german],
    ["Die Schattenrichtlinie hätte anders entschieden", german],
    ["nicht der Auftraggeber", german],
    ["Weitere Freigebende wurden gefragt", german],
  ])("which %j is not", (text, words) => {
    expect(refused([{ text, at: "" }], words)).toHaveLength(1);
  });
});
