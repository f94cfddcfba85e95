import { cutText, engineJson, engineText } from "./engine-text.js";
import { isPlainObject } from "./plain-object.js";

/** A handler's result as far as JSON can hold it. */
export interface JsonResult {
  /** Plain data; `undefined` if the handler returned nothing. */
  data: unknown;
  /**
   * Kinds of values that JSON cannot hold, such as `"Map"`. A string replaces each such value, and U+FFFD an unpaired
   * surrogate.
   */
  lost: string[];
}

/**
 * The result of a handler as plain data. `JSON.stringify` writes maps, sets, streams and iterators as `{}` and `NaN` as
 * `null`, which a model would take for the result; here a string describes the value. A big integer becomes its digits.
 * Functions, symbols and `undefined` are omitted from objects, as in JSON.
 */
export function jsonResult(value: unknown): JsonResult {
  const kind = kindThatJsonLoses(value);
  if (kind !== undefined)
    return { data: `The tool ran, but its result (${kind}) ${cannotBeWritten}.`, lost: [kind] };
  const lost = new Set<string>();
  const replace = (_key: string, item: unknown): unknown => {
    if (typeof item === "bigint") return item.toString();
    const itemKind =
      typeof item === "function" || typeof item === "symbol" ? undefined : kindThatJsonLoses(item);
    if (itemKind === undefined) return item;
    lost.add(itemKind);
    return `[${itemKind}: ${cannotBeWritten}]`;
  };
  try {
    const json: string | undefined = JSON.stringify(value, replace);
    if (json === undefined) return { data: undefined, lost: [...lost] };
    const carried = engineJson(json);
    if (carried !== json) lost.add(unpaired);
    return { data: JSON.parse(carried), lost: [...lost] };
  } catch {
    // A circular reference, a `toJSON` or getter that throws, or too many levels.
    return { data: `The tool ran, but its result ${cannotBeWritten}.`, lost: ["result"] };
  }
}

/** The kind of text that no engine carries. */
export const unpaired = "unpaired surrogate";

const cannotBeWritten = "cannot be written as JSON";

/** The name of the kind of a value that JSON would lose; `undefined` for all others. */
export function kindThatJsonLoses(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : String(value);
  if (typeof value === "function" || typeof value === "symbol") return typeof value;
  if (typeof value !== "object" || value === null || Array.isArray(value) || hasToJson(value))
    return undefined;
  if (isStream(value) || value instanceof Error) return nameOf(value);
  const isBoxed = value instanceof Number || value instanceof String || value instanceof Boolean;
  return isPlain(value) || isBoxed || Object.keys(value).length > 0 ? undefined : nameOf(value);
}

function isStream(value: object): boolean {
  return Symbol.asyncIterator in value || ("getReader" in value && typeof value.getReader === "function");
}

function hasToJson(value: object): boolean {
  return "toJSON" in value && typeof value.toJSON === "function";
}

/** True for an object literal of any realm. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isPlainObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const maxNameLength = 60;

/** The name of the value's class, for text that people and models read. */
function nameOf(value: object): string {
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  const name: unknown = value instanceof Error || tag === "Object" ? value.constructor?.name : tag;
  return typeof name === "string" && name !== "" ? engineText(cutText(name, maxNameLength)) : "object";
}
