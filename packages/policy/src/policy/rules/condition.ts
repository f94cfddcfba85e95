import { Environment, ParseError } from "@marcbachmann/cel-js";
import { Meter } from "../../bounded/work-limit.js";
import { compileExpression } from "../conditions/compile-expression.js";
import { ConditionError, type Place } from "../conditions/condition-error.js";
import { asBool } from "../conditions/logic.js";
import type { Count } from "../counts.js";
import type { PolicyCall } from "../policy-call.js";
import { effectsOf, isReversible } from "../preview-facts.js";
import { insteadOfOperator } from "./condition-syntax.js";

export interface Condition {
  readonly text: string;
  /** Warnings about valid but probably wrong conditions, such as one that is never true. */
  readonly warnings: readonly string[];
  /** Whether the condition reads `effects` or `reversible`. */
  readonly readsEffects: boolean;
  /** What the condition counts over time. */
  readonly counts: readonly Count[];
  /**
   * Whether the condition is true for a call.
   *
   * @throws ConditionError if it cannot be evaluated because a field is missing or a value has the wrong kind.
   * @throws TooMuchWork
   */
  holds(call: PolicyCall, meter: Meter): boolean;
}

/** Parses and type-checks conditions. `conditions/` evaluates them, more strictly than CEL. */
const environment = new Environment({ unlistedVariablesAreDyn: false })
  .registerVariable("input", "dyn")
  .registerVariable("principal", "dyn")
  .registerVariable("thread", "dyn")
  .registerVariable("tool", "dyn")
  .registerVariable("effects", "list")
  .registerVariable("reversible", "bool")
  .registerFunction("keys(map): list<string>", (object: object) => Object.keys(object))
  .registerFunction("calls(string, string): dyn", unevaluated)
  .registerFunction("calls(string, string, string): dyn", unevaluated)
  .registerFunction("spent(string, string, string): dyn", unevaluated)
  .registerFunction("spent(string, string, string, string): dyn", unevaluated);

/** Only `conditions/` evaluates. */
function unevaluated(): never {
  throw new Error("unreachable: the library does not evaluate conditions");
}

const compiled = new Map<string, { condition: Condition; units: number }>();
const maxCompiled = 200;

/** Cost of parsing and checking a condition, per character. */
const unitsOfCharacter = 20;

/**
 * Compiles a CEL condition, with a cache. `meter` limits the cost, for conditions in requests. A condition that was
 * compiled before costs the same, so that a verdict does not depend on what this process compiled before.
 *
 * @throws ConditionError
 * @throws TooMuchWork
 */
export function compileCondition(text: string, meter = new Meter(Number.MAX_SAFE_INTEGER)): Condition {
  const known = compiled.get(text);
  if (known) {
    meter.spend(known.units);
    return known.condition;
  }
  const { left } = meter;
  meter.spend(text.length * unitsOfCharacter);
  const condition = compile(text, meter);
  if (compiled.size >= maxCompiled) compiled.clear();
  compiled.set(text, { condition, units: left - meter.left });
  return condition;
}

function compile(text: string, meter: Meter): Condition {
  const whole: Place = { position: 0, text };
  const warnings: string[] = [];
  const warn = (_: Place, message: string) => warnings.push(message);
  const reads = new Set<string>();
  const parsed = parse(text, whole);
  // Must come first: it rejects expressions on which the type checker would take too long.
  const counts = new Map<string, Count>();
  const expression = compileExpression(parsed.ast, { items: [], depth: 0, meter, reads, counts, warn });
  const checked = parsed.check();
  // A warning says what to write.
  if (!checked.valid) throw libraryError(checked.error, whole, warnings[0]);
  return {
    text,
    warnings,
    readsEffects: reads.has("effects") || reads.has("reversible"),
    counts: [...counts.values()],
    holds(call, meter) {
      const { input = null, principal = null, thread, toolName } = call;
      const variables = {
        input,
        principal,
        thread: thread ? { id: thread.id } : null,
        tool: { name: toolName },
        effects: effectsOf(call),
        reversible: isReversible(call),
        counted: call.counted ?? null,
      };
      return asBool(expression.run({ variables, items: [], meter }), whole);
    },
  };
}

function parse(text: string, whole: Place) {
  try {
    return environment.parse(text);
  } catch (error) {
    throw libraryError(error, whole);
  }
}

/** The library's parse and type errors quote the condition, but no values. `warning` is a better text for a type error. */
function libraryError(error: unknown, whole: Place, warning?: string): ConditionError {
  const { summary, range, message } = Object(error) as {
    summary?: string;
    range?: { start: number };
    message?: string;
  };
  const at = { ...whole, position: range?.start ?? 0 };
  const text = summary ?? message ?? String(error);
  if (!(error instanceof ParseError)) return new ConditionError("function", at, warning ?? text);
  const instead = insteadOfOperator(whole.text, at.position);
  return new ConditionError("syntax", at, instead ? `${text}; ${instead}` : text);
}
