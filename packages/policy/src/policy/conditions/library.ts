import { Environment } from "@marcbachmann/cel-js";
import { boundedIndexOf, charactersPerUnit, searchCost } from "../../bounded/text-search.js";
import type { Meter } from "../../bounded/work-limit.js";
import { ConditionError, type Place } from "./condition-error.js";
import { type Kind, kindOf } from "./values.js";

/** A function or an operator on evaluated arguments. */
export interface LibraryFunction {
  /** The kind of its result, if it does not depend on the arguments. */
  kind?: Kind;
  call(values: readonly unknown[], meter: Meter, at: Place): unknown;
}

const parameters = ["a", "b", "c"] as const;

const environment = parameters.reduce(
  (known, name) => known.registerVariable(name, "dyn"),
  new Environment({ unlistedVariablesAreDyn: false }),
);

/** Maximum length of a text that is converted to a number, time or duration. */
const maxConvertedLength = 100;

/** Base cost of a call into the library. */
const unitsOfCall = 10;

/** Time zone conversions in ICU are slow. */
const unitsOfTimeZone = 3_000;

/** A function of the CEL library, written as a CEL expression over a, b and c. */
function fromLibrary(
  expression: string,
  kind?: Kind,
  cost: (values: readonly unknown[]) => number = textCost,
): LibraryFunction {
  const evaluate = environment.parse(expression);
  return {
    ...(kind && { kind }),
    call(values, meter, at) {
      for (const value of values) kindOf(value, at);
      meter.spend(unitsOfCall + cost(values));
      const context = Object.fromEntries(values.map((value, index) => [parameters[index] ?? "", value]));
      let result: unknown;
      try {
        result = evaluate(context);
      } catch (error) {
        // The library's messages quote values, so they are replaced.
        const { code } = Object(error) as { code?: unknown };
        const problem = code === "no_such_overload" || code === "no_matching_overload" ? "kind" : "value";
        throw new ConditionError(problem, at);
      }
      // Every comparison with NaN is false, and so its negation holds.
      if (typeof result === "number" && !Number.isFinite(result)) throw new ConditionError("value", at);
      return result;
    },
  };
}

function textCost(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + sizeOf(value), 0) / charactersPerUnit;
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (!Array.isArray(value)) return 1;
  return value.reduce<number>(
    (sum, item) => sum + (typeof item === "string" ? item.length : charactersPerUnit),
    0,
  );
}

const cost = {
  search: ([text, searched]: readonly unknown[]) =>
    searchCost(String(text), String(searched)) + String(text).length / charactersPerUnit,
  /** Every part becomes a separate value. */
  split: ([text, separator]: readonly unknown[]) =>
    searchCost(String(text), String(separator)) + String(text).length,
  lists: ([left, right]: readonly unknown[]) =>
    Array.isArray(left) ? left.length + sizeOf(right) : textCost([left, right]),
  /** The separator is repeated between all items. */
  join: ([list, separator]: readonly unknown[]) =>
    textCost([list]) +
    ((Array.isArray(list) ? list.length : 0) * String(separator).length) / charactersPerUnit,
  timeZone: ([, zone]: readonly unknown[]) => textCost([zone]) + unitsOfTimeZone,
};

function table(functions: Record<string, LibraryFunction>): ReadonlyMap<string, LibraryFunction> {
  return new Map(Object.entries(functions));
}

/** Converts a value to another kind. */
function conversion(name: string, kind: Kind): LibraryFunction {
  const { call } = fromLibrary(`${name}(a)`);
  return {
    kind,
    call(values, meter, at) {
      const [value] = values;
      if (typeof value === "string" && value.length > maxConvertedLength)
        throw new ConditionError("value", at);
      return call(values, meter, at);
    },
  };
}

/** Functions called as `name(a)`, by name and number of arguments. */
export const functions = table({
  "bool/1": conversion("bool", "true or false"),
  "double/1": conversion("double", "number"),
  "duration/1": conversion("duration", "duration"),
  "int/1": conversion("int", "number"),
  "string/1": fromLibrary("string(a)", "text"),
  "timestamp/1": conversion("timestamp", "timestamp"),
  "type/1": fromLibrary("type(a)", "type"),
  "uint/1": conversion("uint", "number"),
});

const contains: LibraryFunction = {
  kind: "true or false",
  call([text, searched], meter, at) {
    if (kindOf(text, at) !== "text" || kindOf(searched, at) !== "text") throw new ConditionError("kind", at);
    return boundedIndexOf(text as string, searched as string, 0, meter) >= 0;
  },
};

const getters = [
  "getDate",
  "getDayOfMonth",
  "getDayOfWeek",
  "getDayOfYear",
  "getFullYear",
  "getHours",
  "getMilliseconds",
  "getMinutes",
  "getMonth",
  "getSeconds",
];

/** Functions called as `a.name(b)`, by name and number of arguments in parentheses. */
export const methods = table({
  "contains/1": contains,
  "endsWith/1": fromLibrary("a.endsWith(b)", "true or false"),
  "indexOf/1": fromLibrary("a.indexOf(b)", "number", cost.search),
  "indexOf/2": fromLibrary("a.indexOf(b, c)", "number", cost.search),
  "join/0": fromLibrary("a.join()", "text"),
  "join/1": fromLibrary("a.join(b)", "text", cost.join),
  "lastIndexOf/1": fromLibrary("a.lastIndexOf(b)", "number", cost.search),
  "lastIndexOf/2": fromLibrary("a.lastIndexOf(b, c)", "number", cost.search),
  "lowerAscii/0": fromLibrary("a.lowerAscii()", "text"),
  "split/1": fromLibrary("a.split(b)", "list", cost.split),
  "split/2": fromLibrary("a.split(b, c)", "list", cost.split),
  "startsWith/1": fromLibrary("a.startsWith(b)", "true or false"),
  "substring/1": fromLibrary("a.substring(b)", "text"),
  "substring/2": fromLibrary("a.substring(b, c)", "text"),
  "trim/0": fromLibrary("a.trim()", "text"),
  "upperAscii/0": fromLibrary("a.upperAscii()", "text"),
  ...Object.fromEntries(
    getters.flatMap((name) => [
      [`${name}/0`, fromLibrary(`a.${name}()`, "number")],
      [`${name}/1`, fromLibrary(`a.${name}(b)`, "number", cost.timeZone)],
    ]),
  ),
});

/** Arithmetic operators and concatenation. */
export const arithmetic = table({
  "+": fromLibrary("a + b", undefined, cost.lists),
  "-": fromLibrary("a - b"),
  "*": fromLibrary("a * b"),
  "/": fromLibrary("a / b"),
  "%": fromLibrary("a % b"),
  "-_": fromLibrary("-a"),
});
