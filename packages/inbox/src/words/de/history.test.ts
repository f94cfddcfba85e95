import { expect, it } from "vitest";
import { en } from "../en/index.js";
import { de } from "./index.js";

it.each([
  ["English", en],
  ["German", de],
])(
  "the buttons of history have different labels in %s, by which it finds what was pressed",
  (_language, { history: { all, kinds, times } }) => {
    for (const labels of [[all, ...Object.values(kinds)], Object.values(times)]) {
      expect(new Set(labels).size).toBe(labels.length);
    }
  },
);
