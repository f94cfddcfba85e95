import type { ASTNode } from "@marcbachmann/cel-js";
import { countable } from "./access.js";
import { ConditionError, type Place } from "./condition-error.js";
import { type Expression, nodesWith, type Scope, type Surroundings } from "./expression.js";
import { asBool } from "./logic.js";
import type { Kind } from "./values.js";

interface Comprehension {
  kind: Kind;
  /** Computes the result from the items, the predicate and the transform (the last argument). */
  collect(
    items: readonly unknown[],
    holds: (item: unknown) => boolean,
    transform: (item: unknown) => unknown,
  ): unknown;
}

/**
 * Comprehensions by name and number of arguments. Unlike CEL, they evaluate all items without short-circuiting, so
 * that an item that cannot be evaluated is always an error.
 */
const comprehensions: ReadonlyMap<string, Comprehension> = new Map<string, Comprehension>([
  [
    "all/2",
    { kind: "true or false", collect: (items, holds) => items.filter(holds).length === items.length },
  ],
  ["exists/2", { kind: "true or false", collect: (items, holds) => items.filter(holds).length > 0 }],
  ["exists_one/2", { kind: "true or false", collect: (items, holds) => items.filter(holds).length === 1 }],
  ["filter/2", { kind: "list", collect: (items, holds) => items.filter(holds) }],
  ["map/2", { kind: "list", collect: (items, _, transform) => items.map(transform) }],
  ["map/3", { kind: "list", collect: (items, holds, transform) => items.filter(holds).map(transform) }],
]);

export function isComprehension(name: string, args: readonly ASTNode[]): boolean {
  return comprehensions.has(`${name}/${args.length}`);
}

/** `list.all(item, predicate)` and similar comprehensions. They accept lists only, never the keys of an object. */
export function compileComprehension(
  name: string,
  list: Expression,
  [variable, ...parts]: readonly ASTNode[],
  around: Surroundings,
  at: Place,
  compile: (node: ASTNode, around: Surroundings) => Expression,
): Expression {
  const comprehension = comprehensions.get(`${name}/${parts.length + 1}`);
  if (variable?.op !== "id" || !comprehension) throw new ConditionError("function", at);
  const place = around.items.length;
  const within = { ...around, items: [...around.items, variable.args] };
  const steps = parts.map((part) => compile(part, within));
  const [first] = steps;
  const last = steps.at(-1);
  if (!first || !last) throw new ConditionError("function", at);
  const evaluate = (step: Expression, scope: Scope, item: unknown) => {
    scope.meter.spend(step.nodes);
    scope.meter.spend(1);
    scope.items[place] = item;
    return step.run(scope);
  };
  return {
    run: (scope) =>
      comprehension.collect(
        countable(list.run(scope), undefined, at) as unknown[],
        (item) => asBool(evaluate(first, scope, item), at),
        (item) => evaluate(last, scope, item),
      ),
    kind: comprehension.kind,
    nodes: nodesWith(list, ...steps),
  };
}
