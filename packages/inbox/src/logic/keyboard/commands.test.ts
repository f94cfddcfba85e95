import { describe, expect, it } from "vitest";
import { de } from "../../words/de/index.js";
import { en } from "../../words/en/index.js";
import { actsByKey, commandIds, entryOf, keyIds } from "./commands.js";

describe("the table of commands", () => {
  it("has no two commands of one place with the same key", () => {
    const places = keyIds.flatMap((id) => entryOf(id).keys.map((key) => `${entryOf(id).group} ${key}`));
    expect(places.filter((place, at) => places.indexOf(place) !== at)).toEqual([]);
  });

  it("writes keys as events name them, in lower case", () => {
    const keys = commandIds.flatMap((id) => entryOf(id).keys);
    expect(keys.filter((key) => !/^((mod|shift)\+)?([a-z/?]|enter|escape|f\d)$/.test(key))).toEqual([]);
  });

  it.each([en, de])("has no two labels in one group that are the same, in each language", (words) => {
    const labels = keyIds.map((id) => `${entryOf(id).group}: ${words.commands.labels[id]}`);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it("keeps out of the palette only what has a key", () => {
    expect(keyIds.filter((id) => entryOf(id).keyOnly && entryOf(id).keys.length === 0)).toEqual([]);
  });
});

describe("a key that two commands share", () => {
  it("acts on the open call", () => {
    expect(actsByKey("undo", ["undo", "takeBack"])).toBe(true);
    expect(actsByKey("takeBack", ["takeBack", "undo"])).toBe(false);
    expect(actsByKey("back", ["cancel", "back"])).toBe(false);
  });

  it("acts on the page while the open call has no use for it", () => {
    expect(actsByKey("takeBack", ["takeBack", "back"])).toBe(true);
  });

  it("is not there if the command has no key", () => {
    expect(actsByKey("print", ["print"])).toBe(false);
  });
});
