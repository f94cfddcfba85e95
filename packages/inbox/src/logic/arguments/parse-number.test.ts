import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { writeAs } from "../../words/locale.js";
import { hasNumberSigns, numberInput, parseNumber } from "./parse-number.js";

const read = (locale: string, text: string) => {
  writeAs(locale);
  return parseNumber(text).value;
};

describe("parseNumber", () => {
  afterEach(() => writeAs("en"));

  it.each([
    ["en", "1200", 1200],
    ["en", "1,200", 1200],
    ["en", " 1,234,567.50 ", 1234567.5],
    ["en", "12.5", 12.5],
    ["en", "1.200", 1.2],
    ["en", ".5", 0.5],
    ["en", "+5", 5],
    ["en", "-0", 0],
    ["en", "007", 7],
    ["de", "1.200", 1200],
    ["de", "12,5", 12.5],
    ["de", "−1.200,50", -1200.5],
    ["de", "12.5", 12.5],
    ["de", "0.25", 0.25],
    ["de", "1.2000", 1.2],
    ["de-CH", "1’200.50", 1200.5],
    ["de-CH", "1'200.50", 1200.5],
    ["en-ZA", "1 200,5", 1200.5],
    ["en-ZA", "1\u00a0200,5", 1200.5],
    ["de-AT", "1 200", 1200],
  ])("in %s, reads %j as %d", (locale, text, value) => {
    expect(read(locale, text)).toBe(value);
  });

  it.each([
    ["en", "12,5"],
    ["en", "1.200,50"],
    ["en", "1,20"],
    ["en", "0,500"],
    ["en", "1,200,50"],
    ["en", "1 200"],
    ["de", "1,200.50"],
    ["de", "1.20.300"],
    ["de", "0.500"],
    ["de", "1234.567"],
    ["de-AT", "1.200"],
    ["en-ZA", "1 200\u00a0000"],
    ...["1e2", "0x10", "∞", "", "-", ".", ",", "12 EUR", "1--2", "１２", "٣"].flatMap((text) => [
      ["en", text],
      ["de", text],
    ]),
  ])("in %s, refuses %j", (locale, text) => {
    expect(read(locale, text)).toBeUndefined();
  });

  it("shows how to write a number in the reader's locale", () => {
    expect(parseNumber("12,5").problem).toBe("Enter a number, such as 12.50");
    writeAs("de");
    expect(parseNumber("1,200.50").problem).toBe("Enter a number, such as 12,50");
  });

  it("refuses digits that would not be sent", () => {
    expect(parseNumber("0.30000000000000004").value).toBe(0.1 + 0.2);
    const problem = "This number has too many digits to be sent exactly";
    for (const text of [
      "12345678901234567890",
      "0.1234567890123456789",
      "9007199254740993",
      "9".repeat(400),
    ]) {
      expect(parseNumber(text)).toEqual({ problem });
    }
  });

  it.each(["en", "de", "de-CH", "en-ZA"])("in %s, reads each number as its field shows it", (locale) => {
    writeAs(locale);
    const ordinary = fc
      .double({ noNaN: true, min: -1e25, max: 1e25 })
      .filter((value) => Math.abs(value) >= 1e-20);
    fc.assert(
      fc.property(
        fc.oneof(
          ordinary,
          fc.integer(),
          fc.integer({ min: -99_999, max: 99_999 }).map((n) => n / 100),
        ),
        (value) => {
          expect(parseNumber(numberInput(value))).toEqual({ value: value === 0 ? 0 : value });
        },
      ),
    );
  });
});

describe("hasNumberSigns", () => {
  it.each([
    ["1.500", true],
    ["1 500,00", true],
    ["1500", false],
    ["-15", false],
    ["order 1.500", false],
    ["", false],
  ])("of %j is %s", (text, result) => {
    expect(hasNumberSigns(text)).toBe(result);
  });
});
