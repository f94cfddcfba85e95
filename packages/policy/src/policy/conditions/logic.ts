import { ConditionError, type Place } from "./condition-error.js";
import { type Expression, nodesWith, type Surroundings } from "./expression.js";
import { areEqual, areInOrder, kindOf } from "./values.js";

/** @throws ConditionError for anything but true and false. */
export function asBool(value: unknown, at: Place): boolean {
  if (typeof value === "boolean") return value;
  throw new ConditionError("kind", at, `${at.text}: expected true or false, got ${kindOf(value, at)}`);
}

/** `!operand` */
export function compileNot(operand: Expression, at: Place): Expression {
  return {
    run: (scope) => !asBool(operand.run(scope), at),
    kind: "true or false",
    nodes: nodesWith(operand),
  };
}

/** `condition ? yes : no` */
export function compileChoice(condition: Expression, yes: Expression, no: Expression, at: Place): Expression {
  return {
    run: (scope) => (asBool(condition.run(scope), at) ? yes : no).run(scope),
    kind: yes.kind === no.kind ? yes.kind : undefined,
    nodes: nodesWith(condition, yes, no),
  };
}

/** Cost of an error that the other side of an `&&` or `||` makes irrelevant. */
const unitsOfError = 30;

/** `left && right`, where `false` decides, or `left || right`, where `true` decides regardless of the other side. */
export function compileLogic(deciding: boolean, left: Expression, right: Expression, at: Place): Expression {
  return {
    run(scope) {
      let error: ConditionError | undefined;
      try {
        if (asBool(left.run(scope), at) === deciding) return deciding;
      } catch (thrown) {
        if (!(thrown instanceof ConditionError) || thrown.problem === "hidden") throw thrown;
        scope.meter.spend(unitsOfError);
        error = thrown;
      }
      const value = asBool(right.run(scope), at);
      if (error && value !== deciding) throw error;
      return value;
    },
    kind: "true or false",
    nodes: nodesWith(left, right),
  };
}

/** `left == right`, `left != right` */
export function compileEquality(equal: boolean, left: Expression, right: Expression, at: Place): Expression {
  return {
    run: (scope) => areEqual(left.run(scope), right.run(scope), scope.meter, at) === equal,
    kind: "true or false",
    nodes: nodesWith(left, right),
  };
}

const comparisons = {
  "<": (left: number, right: number) => left < right,
  "<=": (left: number, right: number) => left <= right,
  ">": (left: number, right: number) => left > right,
  ">=": (left: number, right: number) => left >= right,
};

/** `left < right` and the other comparisons. */
export function compileOrder(
  operator: keyof typeof comparisons,
  left: Expression,
  right: Expression,
  at: Place,
): Expression {
  const compare = comparisons[operator];
  return {
    run: (scope) => areInOrder(left.run(scope), right.run(scope), compare, at),
    kind: "true or false",
    nodes: nodesWith(left, right),
  };
}

/** Warns about conditions such as `type(input.n) == int`, which are never true. */
export function warnOfTypes(
  left: Expression,
  right: readonly Expression[],
  { warn }: Surroundings,
  at: Place,
): void {
  const never = right.length > 0 && right.every(({ type }) => type === "not in JSON");
  if (left.type !== "of the call" || !never) return;
  warn(at, `${at.text} is never true: arguments are JSON, and all JSON numbers have the type double`);
}
