import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const store = "packages/countersign/src/store";
const decisions = read(`${store}/approval/decision-refusals.ts`);
const starts = read(`${store}/approval/start-refusals.ts`);

/** The names in a list of refusals, in the order in which they are checked. */
function listed(source: string, list: string): string[] {
  const [, names = ""] = source.match(new RegExp(`export const ${list} = \\[([^\\]]*)\\]`)) ?? [];
  return names.split(",").flatMap((name) => name.trim() || []);
}

/** The function's source, up to the brace that ends it. */
const bodyOf = (source: string, name: string) =>
  source.match(new RegExp(`^(export )?(async )?function ${name}\\([\\s\\S]*?^}$`, "m"))?.[0] ?? "";

/** The decision or the withdrawal that came first. */
const codesOfLate = bodyOf(read(`${store}/approval/open-call.ts`), "lostTo").split("return")[1] ?? "";

function codesOf(refusal: string): string[] {
  const body = bodyOf(decisions, refusal);
  const codes = body.includes("lostTo(")
    ? codesOfLate.matchAll(/"(\w+)"/g)
    : body.matchAll(/\boutcome: "(\w+)"/g);
  return [...codes].map(([, code = ""]) => code);
}

it.each([
  ["decisionRefusals", decisions],
  ["startRefusals", starts],
])("docs/architecture.md has the names of %s in their order", (list, source) => {
  const names = listed(source, list);
  expect(names.length).toBeGreaterThan(3);
  const lines = read("docs/architecture.md").split("\n");
  expect(lines.map((line) => line.trim())).toContain(names.map((name) => `\`${name}\``).join(", "));
});

it("docs/api.md has the codes of a refused decision in the order in which they are checked", () => {
  const perRefusal = listed(decisions, "decisionRefusals").map(codesOf);
  expect(perRefusal.filter((codes) => codes.length === 0)).toEqual([]);
  const [, order = ""] =
    read("docs/api.md").match(/refused with the first of these codes that applies: ([^.]*)\./) ?? [];
  expect([...order.matchAll(/`(\w+)`/g)].map(([, code]) => code)).toEqual([...new Set(perRefusal.flat())]);
});
