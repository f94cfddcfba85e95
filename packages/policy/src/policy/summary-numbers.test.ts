import { describe, expect, it, vi } from "vitest";
import { renderSummary } from "./summary.js";
import { withNumbers } from "./summary-numbers.js";

const numbersOf = (template: string, input: unknown, shown = input) =>
  withNumbers(renderSummary(template, shown).parts, () => input).flatMap((part) =>
    "text" in part ? [] : [part.number],
  );

describe("withNumbers", () => {
  it("adds the numbers that the parts show", () => {
    const input = { amount: 1234.5, lines: [{ rows: 12_345 }], rate: 1e300 };
    expect(numbersOf("{{amount}}, {{lines.0.rows}}, {{rate}}", input)).toEqual([1234.5, 12_345, 1e300]);
  });

  it("adds none to texts that look like numbers, and to other values", () => {
    expect(numbersOf("{{amount}} {{note}} {{lines}}", { amount: "2,400", note: "1", lines: [1] })).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("adds none where the summary hides the number", () => {
    expect(numbersOf("{{amount}}", { amount: 80 }, { amount: "[hidden]" })).toEqual([undefined]);
    expect(numbersOf("{{pin}}", { pin: 1234 }, { pin: 12 })).toEqual([undefined]);
  });

  it("reads the values only if a part may show a number", () => {
    const readValues = vi.fn(() => ({}));
    withNumbers(renderSummary("Cancel {{id}}", { id: "A-1" }).parts, readValues);
    expect(readValues).not.toHaveBeenCalled();
  });
});
