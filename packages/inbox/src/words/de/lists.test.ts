import { describe, expect, it } from "vitest";
import { de } from "./index.js";

const { showNew, signedIn } = de.lists;

describe("the German texts of lists", () => {
  it("count new calls in the right case", () => {
    expect([showNew(1), showNew(3)]).toEqual(["1 neuen Vorgang anzeigen", "3 neue Vorgänge anzeigen"]);
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
