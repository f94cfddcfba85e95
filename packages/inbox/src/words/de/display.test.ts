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
      "1.340,50 von 2.000 EUR verbraucht, je Aufruf höchstens 100 EUR",
    );
    writeAs("de-CH");
    expect(overBudgetText({ ...budget, each: null, amount: 800 }, display)).toMatch(
      /aber 1['’]340\.50 von 2['’]000 EUR sind verbraucht, und dieser Aufruf verlangt 800 EUR\.$/,
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
    const of = "von issue_refund innerhalb von 1h, durch diesen Auftraggeber";
    expect(countText({ ...count, limit: null, total: 1 }, display)).toBe(`1 Aufruf ${of}`);
    expect(countText({ ...count, limit: null, total: 3 }, display)).toBe(`3 Aufrufe ${of}`);
    expect(countText({ ...count, limit: 10, total: 11 }, display)).toBe(
      `11 von 10 Aufrufen ${of} (Grenze überschritten)`,
    );
    expect(countText({ ...count, limit: null, total: null }, display)).toBe(`Aufrufe ${of}: nicht bekannt`);
  });

  it("names an added-up amount before its sum", () => {
    const sum = {
      tool: "issue_refund",
      amount: "amount",
      per: "input.customerId",
      window: "24h",
      hidden: false,
    };
    const where = "bei issue_refund innerhalb von 24h, mit demselben Wert von customerId";
    expect(countText({ ...sum, limit: 400, total: 200 }, display)).toBe(`amount: 200 von 400 ${where}`);
    expect(countText({ ...sum, limit: null, total: null }, display)).toBe(`amount ${where}: nicht bekannt`);
  });

  it("tells of previews and of the audit log", () => {
    const preview = { failed: null, effects: [{ target: "A" }, { target: "B" }], reversible: true };
    expect(previewLines(preview, { max: 1, words: display })).toEqual([
      "A",
      "1 weitere",
      "Es lässt sich rückgängig machen.",
    ]);
    expect(auditWords({ type: "approval.approved", actorId: "lead" }, display)).toBe(
      "lead hat ihn freigegeben",
    );
  });
});
