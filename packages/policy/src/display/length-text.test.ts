import { expect, it } from "vitest";
import { englishDisplay } from "./english.js";
import { lengthText } from "./length-text.js";

it.each([
  ["1h", "1 hour"],
  ["24h", "24 hours"],
  ["30 s", "30 seconds"],
  ["1.5d", "1.5 days"],
  ["2 weeks", "2 weeks"],
  ["10 Mins", "10 minutes"],
  ["500ms", "500ms"],
  ["1h for everyone", "“1h for everyone”"],
])("the length %j is %j in words", (length, text) => {
  expect(lengthText(length)).toBe(text);
});

it("a length has the decimals of the language", () => {
  const words = { ...englishDisplay, numbers: { group: ".", decimal: "," } };
  expect(lengthText("1.5d", words)).toBe("1,5 days");
});
