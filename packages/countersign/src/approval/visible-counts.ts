import { isDeepStrictEqual } from "node:util";
import { unitsOfRedaction, WorkLimit } from "@countersign/policy/internal/bounded/work-limit";
import { countText, exceedsLimit } from "@countersign/policy/internal/display/count-text";
import type { RecordedCount } from "@countersign/policy/internal/policy/counts";
import type { StoredTerms } from "@countersign/policy/internal/policy/rules/term-table";
import { type Hiding, redact } from "@countersign/policy/internal/redaction/redact";
import { ownField } from "@countersign/policy/internal/shared/value-at-path";

/** A count as visible to an audience. */
export interface ShownCount extends Omit<RecordedCount, "text"> {
  /** The count as a line of plain text. */
  text: string;
  /** The condition as written, in its shortest form. */
  condition: string;
  /** The unit that the call's rule gives what is added up. */
  unit: string | null;
  /** Whether the total is hidden, which is `null` then. */
  hidden: boolean;
  /** Whether the total is visible and above the limit. */
  exceeds: boolean;
}

/** A call and what its rule says of its arguments, as far as counts have it. */
interface CountedCall {
  toolName: string;
  inputJson: string;
  terms: { counts: readonly RecordedCount[] } & Pick<StoredTerms, "units" | "label" | "names">;
}

/**
 * What limits over time counted for a call with these arguments, without what the audience may not see. The sum of one call is
 * its amount, so where that is hidden, the sum is hidden too.
 */
export function visibleCounts(
  { toolName, inputJson, terms: { counts, units, label, names } }: CountedCall,
  hiding: Hiding,
  limit = new WorkLimit(unitsOfRedaction),
): ShownCount[] {
  if (counts.length === 0) return [];
  const input: unknown = JSON.parse(inputJson);
  const visible = redact(input, hiding, limit);
  // A path hides sums of other tools' calls too, and a sum may look like what a pattern hides.
  const hidesTotal = (amount: string, total: number | null) => {
    const sum = nested(amount, total);
    return differ(sum, redact(sum, hiding, limit), amount);
  };
  return counts.map(({ text: condition, ...count }) => {
    const { amount, total, tool } = count;
    const unit =
      amount !== null && tool === toolName && Object.hasOwn(units, amount) ? units[amount] : undefined;
    const hidden = amount !== null && (differ(input, visible, amount) || hidesTotal(amount, total));
    const shown = { ...count, total: hidden ? null : total, hidden, unit: unit ?? null };
    return {
      ...shown,
      text: countText(shown, undefined, { toolName, label, names }),
      condition,
      exceeds: exceedsLimit(shown),
    };
  });
}

function differ(value: unknown, visible: unknown, path: string): boolean {
  return !isDeepStrictEqual(ownField(value, path), ownField(visible, path));
}

/** A value with another one at a path. */
function nested(path: string, value: unknown): unknown {
  return path.split(".").reduceRight((inner, key) => ({ [key]: inner }), value);
}
