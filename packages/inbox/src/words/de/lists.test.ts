import { describe, expect, it } from "vitest";
import { de } from "./index.js";

const { signedIn, viewName } = de.lists;

describe("the German texts of lists", () => {
  it("name a view by its filters", () => {
    expect([viewName.risk(["high"]), viewName.risk(["high", "critical"])]).toEqual([
      "Risiko hoch",
      "Risiko hoch oder kritisch",
    ]);
    expect(["15m", "1h", "2d"].map(viewName.endsIn)).toEqual([
      "endet in 15 Min.",
      "endet in 1 Std.",
      "endet in 2 Tg.",
    ]);
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
