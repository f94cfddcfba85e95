import { Duration, Environment, UnsignedInt } from "@marcbachmann/cel-js/evaluator";
import type { Meter } from "../../bounded/work-limit.js";
import { unreadable } from "../../redaction/unreadable.js";
import { ConditionError, type Place } from "./condition-error.js";

/** Kinds of values. All numbers are one kind, because JSON does not distinguish integers. */
export type Kind =
  | "null"
  | "true or false"
  | "number"
  | "text"
  | "list"
  | "object"
  | "timestamp"
  | "duration"
  | "type";

const CelType = Object(new Environment().evaluate("type(1)")).constructor;

/** @throws ConditionError for hidden values and values that CEL does not support. */
export function kindOf(value: unknown, at: Place): Kind {
  switch (typeof value) {
    case "string":
      return "text";
    case "number":
    case "bigint":
      return "number";
    case "boolean":
      return "true or false";
    case "object":
      if (value === null) return "null";
      if (Array.isArray(value)) return "list";
      if (value instanceof UnsignedInt) return "number";
      if (value instanceof Date) return "timestamp";
      if (value instanceof Duration) return "duration";
      if (value instanceof CelType) return "type";
      return "object";
    default:
      if (value === unreadable) throw new ConditionError("hidden", at);
      throw new ConditionError("kind", at);
  }
}

/**
 * Whether two values are equal. In CEL, values of different kinds are unequal, so `input.env == "prod"` would be
 * false for `["prod"]`. Here that is an error, also within lists and objects. Only `null` can be compared with every
 * kind.
 *
 * @throws ConditionError if the values or their parts have different kinds.
 */
export function areEqual(left: unknown, right: unknown, meter: Meter, at: Place): boolean {
  const kind = kindOf(left, at);
  const other = kindOf(right, at);
  if (kind === "null" || other === "null") return kind === other;
  if (kind !== other) throw new ConditionError("kind", at, `${kind} cannot be compared with ${other}`);
  switch (kind) {
    case "text":
      return sameText(left as string, right as string, meter);
    case "list":
      return sameItems(left as unknown[], right as unknown[], meter, at);
    case "object":
      return sameFields(left as object, right as object, meter, at);
    case "true or false":
    case "type":
      return left === right;
    default:
      return (left as number) <= (right as number) && (left as number) >= (right as number);
  }
}

const charactersPerUnit = 64;

function sameText(left: string, right: string, meter: Meter): boolean {
  if (left.length !== right.length) return false;
  meter.spend(left.length / charactersPerUnit);
  return left === right;
}

/** Compares every pair, so that a value of another kind is always found. */
function sameItems(left: readonly unknown[], right: readonly unknown[], meter: Meter, at: Place): boolean {
  let same = left.length === right.length;
  const shorter = left.length < right.length ? left : right;
  meter.spend(shorter.length);
  for (const index of shorter.keys()) {
    if (!areEqual(left[index], right[index], meter, at)) same = false;
  }
  return same;
}

function sameFields(left: object, right: object, meter: Meter, at: Place): boolean {
  const keys = Object.keys(left);
  meter.spend(keys.length);
  let same = keys.length === Object.keys(right).length;
  for (const key of keys) {
    const value = ownField(right, key);
    if (value === undefined || !areEqual(ownField(left, key), value, meter, at)) same = false;
  }
  return same;
}

/** Reads an own field of an object, never an inherited one. */
export function ownField(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? Reflect.get(object, key) : undefined;
}

const ordered: ReadonlySet<Kind> = new Set(["number", "text", "true or false", "timestamp", "duration"]);

/** @throws ConditionError if the values cannot be ordered. */
export function areInOrder(
  left: unknown,
  right: unknown,
  compare: (left: number, right: number) => boolean,
  at: Place,
): boolean {
  const kind = kindOf(left, at);
  const other = kindOf(right, at);
  if (kind !== other || !ordered.has(kind)) {
    throw new ConditionError("kind", at, `${kind} and ${other} cannot be ordered`);
  }
  return compare(left as number, right as number);
}
