import { numberText } from "../display/number-text.js";
import { nameAt, type SummaryPart } from "../display/summary-part.js";
import { ownField } from "../shared/value-at-path.js";

/**
 * The parts of a summary, each with the number that it shows, so that readers can write it as in their language. A part gets
 * only the number that its value already says, so nothing hidden comes back. `readValues` is called only if a part may show a
 * number.
 */
export function withNumbers(parts: readonly SummaryPart[], readValues: () => unknown): SummaryPart[] {
  let values: { read: unknown } | undefined;
  return parts.map((part) => {
    if ("text" in part || !mayBeNumber.test(part.value)) return part;
    values ??= { read: readValues() };
    const found = ownField(values.read, part.path);
    const number = found.found && typeof found.value === "number" ? found.value : undefined;
    return number !== undefined && numberText(nameAt(part.path), number) === part.value
      ? { ...part, number }
      : part;
  });
}

const mayBeNumber = /^-?\d[\d,.]*(e[-+]\d+)?$/;
