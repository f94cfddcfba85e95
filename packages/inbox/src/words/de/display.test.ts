import {
  auditWords,
  budgetText,
  countText,
  effectText,
  flagText,
  markLabel,
  overBudgetText,
  previewLines,
} from "@countersign/policy/display";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeAs } from "../locale.js";
import { display } from "./display.js";

describe("display in German", () => {
  beforeEach(() => writeAs("de"));
  afterEach(() => writeAs("en"));

  it("writes numbers as in the reader's region", () => {
    const budget = { total: 2000, used: 1340.5, each: 100, unit: "EUR" };
    expect(budgetText(budget, display)).toBe(
      "1.340,50 von 2.000 EUR verbraucht, je Vorgang höchstens 100 EUR",
    );
    writeAs("de-CH");
    expect(overBudgetText({ ...budget, each: null, amount: 800 }, display)).toMatch(
      /aber 1['’]340\.50 von 2['’]000 EUR sind verbraucht, und dieser verlangt 800 EUR\.$/,
    );
  });

  it("describes characters and flags", () => {
    expect(markLabel({ kind: "blanks", characters: ["U+0020"], count: 4000 }, display)).toBe(
      "4.000 Leerzeichen",
    );
    expect(flagText({ kind: "line_breaks", characters: [], count: 60 }, display)).toBe(
      "60 Zeilenumbrüche hintereinander",
    );
    expect(
      flagText(
        { kind: "look_alike", text: "аррӏе.com", looksLike: "apple.com", characters: ["U+0430"] },
        display,
      ),
    ).toBe("„аррӏе.com“ enthält Buchstaben, die anderen gleichen; sieht aus wie „apple.com“: U+0430");
  });

  it.each(["nichts", "Keine Änderung", "es", "12 weitere", "1.200 weitere Konten"])(
    "quotes %j as a target, because it reads as its own words",
    (target) => expect(effectText({ target, after: 1 }, { words: display })).toBe(`„${target}“: nichts → 1`),
  );

  it("leaves other targets as they are", () => {
    expect(effectText({ target: "Objekt 12", after: 1 }, { words: display })).toBe("Objekt 12: nichts → 1");
  });

  it("counts with the right case", () => {
    const count = { tool: "issue_refund", amount: null, per: "requester", window: "1h", hidden: false };
    const refund = { toolName: "issue_refund", label: "Refund", names: {} };
    const text = (limit: number | null, total: number | null) =>
      countText({ ...count, limit, total }, display, refund);
    const where = "in 1 Stunde für diese Person";
    expect(text(null, 1)).toBe(`1 Vorgang ${where}, dieser eingerechnet`);
    expect(text(null, 3)).toBe(`3 Vorgänge ${where}, dieser eingerechnet`);
    expect(text(10, 3)).toBe(`3 von 10 Vorgängen ${where}, dieser eingerechnet`);
    expect(text(10, 11)).toBe(`1 über der Grenze von 10 Vorgängen ${where}`);
    expect(text(null, null)).toBe(`Vorgänge ${where}: nicht bekannt`);
  });

  it("names an added-up amount without a unit before its sum", () => {
    const sum = { tool: "refund", amount: "amount", per: "input.customerId", window: "2d", hidden: false };
    const text = (limit: number | null, total: number | null, unit?: string) =>
      countText({ ...sum, limit, total, unit }, display, { toolName: "refund", label: null, names: {} });
    const where = "in 2 Tagen je customer id";
    expect(text(400, 200)).toBe(`amount: 200 von 400 ${where}, dieser eingerechnet`);
    expect(text(400, 89, "EUR")).toBe(`89 von 400 EUR ${where}, dieser eingerechnet`);
    expect(text(400, 2400, "EUR")).toBe(`2.000 EUR über der Grenze von 400 EUR ${where}`);
    expect(text(null, null, "EUR")).toBe(`amount ${where}: nicht bekannt`);
    expect(countText({ ...sum, limit: null, total: 5 }, display)).toBe(`amount: 5 bei refund ${where}`);
  });

  it("tells of previews and of the audit log", () => {
    const preview = { failed: null, effects: [{ target: "A" }, { target: "B" }], reversible: true };
    expect(previewLines(preview, { max: 1, words: display })).toEqual([
      "A",
      "1 weitere",
      "Es lässt sich rückgängig machen.",
    ]);
    expect(auditWords({ type: "approval.approved", actorId: "lead" }, display)).toBe(
      "lead hat dies freigegeben",
    );
  });
});
