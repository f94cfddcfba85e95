import { describe, expect, it } from "vitest";
import { de } from "./index.js";

const { showNew, signedIn, viewName } = de.lists;

describe("the German texts of lists", () => {
  it("name a view by its filters", () => {
    expect([viewName.risk(["high"]), viewName.risk(["high", "critical"])]).toEqual([
      "Risiko hoch",
      "Risiko hoch oder kritisch",
    ]);
    expect(["15m", "1h", "2d"].map(viewName.endsIn)).toEqual([
      "läuft in 15 Min. ab",
      "läuft in 1 Std. ab",
      "läuft in 2 Tg. ab",
    ]);
  });

  it("count new calls in the right case", () => {
    expect([showNew(1), showNew(3)]).toEqual(["1 neuen Aufruf anzeigen", "3 neue Aufrufe anzeigen"]);
  });

  it("name the reader's roles", () => {
    const inBrackets = (roles: string[]) => /\((.*)\)/.exec(signedIn("ada", roles))?.[1];
    expect([[], ["lead"], ["lead", "finance"]].map(inBrackets)).toEqual([
      "ohne Rolle",
      "Rolle lead",
      "Rollen lead, finance",
    ]);
  });
});
