import type { Place } from "./condition-error.js";
import type { Expression, Surroundings } from "./expression.js";
import type { Kind } from "./values.js";

/** A side of a comparison, with its text in the condition. */
export interface Side {
  expression: Expression;
  text: string;
}

/** Warns about a comparison of values of two kinds, which cannot be evaluated, such as `input.amount > "500"`. */
export function warnOfMixedKinds(
  operator: string,
  left: Side,
  right: Side,
  { warn }: Surroundings,
  at: Place,
): void {
  const [one, other] = [knownKind(left), knownKind(right)];
  const written = `${rewritten(left, right)} ${operator} ${rewritten(right, left)}`;
  if (one !== undefined && other !== undefined) {
    if (one === other || one === "null" || other === "null") return;
    const instead = roleIn(operator, left, right) ?? roleIn(operator, right, left) ?? written;
    const hint = instead === `${left.text} ${operator} ${right.text}` ? "" : `; write ${instead}`;
    warn(at, `${at.text} cannot be evaluated: ${one} cannot be compared with ${other}${hint}`);
    return;
  }
  // Equality may be with a text of digits, such as an order's number.
  const digits = [left, right].find(({ expression }) => numberIn(expression) !== undefined);
  if (!digits || operator === "==" || operator === "!=") return;
  warn(at, `${digits.text} is a text, which cannot be compared with a number; write ${written}`);
}

/** The requester and the thread may be null, which can be compared with everything. */
function knownKind({ expression: { kind, fields } }: Side): Kind | undefined {
  return kind ?? (fields && "object");
}

/** A side as it is to be written beside the other: a literal with the other's kind, or a field of a set of fields. */
function rewritten({ expression, text }: Side, other: Side): string {
  const { literal, fields } = expression;
  const { kind } = other.expression;
  const [field] = Object.keys(fields ?? {});
  if (field !== undefined && kind === "text") return `${text}.${field}`;
  if (kind === "text" && typeof literal !== "string" && literal !== undefined) return `"${text}"`;
  if (kind === "true or false" && (literal === "true" || literal === "false")) return literal;
  if (kind === undefined || kind === "number") return numberIn(expression) ?? text;
  return text;
}

function numberIn({ literal }: Expression): string | undefined {
  return typeof literal === "string" && /^-?\d+(\.\d+)?$/.test(literal) ? literal : undefined;
}

function roleIn(operator: string, { expression: list, text }: Side, item: Side): string | undefined {
  if (list.kind !== "list" || item.expression.kind !== "text") return undefined;
  if (operator === "==") return `${item.text} in ${text}`;
  return operator === "!=" ? `!(${item.text} in ${text})` : undefined;
}
