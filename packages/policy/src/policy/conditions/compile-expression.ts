import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import {
  compileField,
  compileHas,
  compileIndex,
  compileKeys,
  compileMembership,
  compileSize,
} from "./access.js";
import { compileComprehension, isComprehension } from "./comprehensions.js";
import { ConditionError, type Place } from "./condition-error.js";
import { compileCount, noteLimit } from "./counts.js";
import { type Expression, nodesWith, type Surroundings } from "./expression.js";
import { arithmetic, functions, type LibraryFunction, methods } from "./library.js";
import {
  compileChoice,
  compileEquality,
  compileLogic,
  compileNot,
  compileOrder,
  warnOfTypes,
} from "./logic.js";
import { compileMatches } from "./matches.js";
import { type Side, warnOfMixedKinds } from "./mixed-kinds.js";
import { insteadOfTime, insteadOfVariable } from "./unknown-name.js";
import { type Kind, kindOf } from "./values.js";

const maxDepth = 500;

/** Variables available to conditions. `principal`, `thread` and `effects` may be `null`. */
const variables: Readonly<Record<string, Kind | undefined>> = {
  input: "object",
  principal: undefined,
  thread: undefined,
  tool: "object",
  effects: "list",
  reversible: "true or false",
};

/** Variables whose fields the host sets, so their kinds are known. */
const fieldsOf: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  principal: { id: "text", roles: "list" },
  thread: { id: "text" },
  tool: { name: "text" },
};

/** Types that values of a call never have. */
const notInJson = ["bytes", "google", "int", "type", "uint"];

const library = new Environment();
const types: ReadonlyMap<string, unknown> = new Map(
  [...notInJson, "bool", "double", "list", "map", "null_type", "string"].map((name) => [
    name,
    library.evaluate(name),
  ]),
);

/**
 * Compiles an expression of a condition, including its subexpressions.
 *
 * @throws ConditionError
 */
export function compileExpression(node: ASTNode, surroundings: Surroundings): Expression {
  const at = placeOf(node);
  const around = { ...surroundings, depth: surroundings.depth + 1 };
  if (around.depth > maxDepth) throw new ConditionError("depth", at);
  const compile = (part: ASTNode) => compileExpression(part, around);
  switch (node.op) {
    case "value":
      return compileLiteral(node.args, at);
    case "id":
      return compileName(node.args, around, at);
    case ".":
      return compileField(compile(node.args[0]), node.args[1], at);
    case "[]":
      return compileIndex(compile(node.args[0]), compile(node.args[1]), at);
    case "list":
      return compileList(node.args.map(compile));
    case "map":
      return compileObject(node.args, compile);
    case "?:":
      return compileChoice(compile(node.args[0]), compile(node.args[1]), compile(node.args[2]), at);
    case "&&":
    case "||":
      return compileLogic(node.op === "||", compile(node.args[0]), compile(node.args[1]), at);
    case "!_":
      return compileNot(compile(node.args), at);
    case "==":
    case "!=": {
      const [left, right] = [compile(node.args[0]), compile(node.args[1])];
      warnOfTypes(left, [right], around, at);
      warnOfTypes(right, [left], around, at);
      warnOfMixedKinds(node.op, sideOf(left, node.args[0]), sideOf(right, node.args[1]), around, at);
      return compileEquality(node.op === "==", left, right, at);
    }
    case "in": {
      const [value, list] = [compile(node.args[0]), compile(node.args[1])];
      warnOfTypes(value, list.items ?? [], around, at);
      return compileMembership(value, list, at);
    }
    case "<":
    case "<=":
    case ">":
    case ">=": {
      const [left, right] = [compile(node.args[0]), compile(node.args[1])];
      noteLimit(left, right, around);
      warnOfMixedKinds(node.op, sideOf(left, node.args[0]), sideOf(right, node.args[1]), around, at);
      return compileOrder(node.op, left, right, at);
    }
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return compileArithmetic(node.op, compile(node.args[0]), compile(node.args[1]), at);
    case "-_":
      return compileCall(arithmetic.get(node.op), [compile(node.args)], at);
    case "call": {
      const [name, args] = node.args;
      if (name === "calls" || name === "spent") return compileCount(name, args, around, at);
      return compileFunction(name, args, compile, at);
    }
    case "rcall": {
      const [name, receiver, args] = node.args;
      const value = compile(receiver);
      if (isComprehension(name, args)) {
        return compileComprehension(name, value, args, around, at, compileExpression);
      }
      if (name === "size" && args.length === 0) return compileSize(value, at);
      if (name === "matches" && args[0] && args.length === 1)
        return compileMatches(value, args[0], around, at);
      return compileCall(methods.get(`${name}/${args.length}`), [value, ...args.map(compile)], at);
    }
    default:
      throw new ConditionError("function", at, "optional fields are not supported");
  }
}

/** The part of the condition's text that a node covers. */
function placeOf({ start, end, input }: ASTNode): Place {
  return { position: start, text: input.slice(start, end) };
}

function sideOf(expression: Expression, node: ASTNode): Side {
  return { expression, text: placeOf(node).text };
}

function compileLiteral(value: unknown, at: Place): Expression {
  if (value instanceof Uint8Array) throw new ConditionError("function", at, "bytes are not supported");
  return { run: () => value, kind: kindOf(value, at), literal: value, nodes: 1 };
}

function compileName(name: string, { items, reads }: Surroundings, at: Place): Expression {
  const place = items.lastIndexOf(name);
  if (place >= 0) return { run: (scope) => scope.items[place], nodes: 1 };
  if (Object.hasOwn(variables, name)) {
    reads.add(name);
    if (name === "effects") return compileEffects(at);
    const fields = fieldsOf[name];
    return { run: (scope) => scope.variables[name], kind: variables[name], fields, nodes: 1 };
  }
  if (!types.has(name)) {
    const instead = insteadOfVariable(name, Object.keys(variables));
    throw new ConditionError("name", at, `Unknown variable: ${name}; ${instead}`);
  }
  const value = types.get(name);
  return { run: () => value, type: notInJson.includes(name) ? "not in JSON" : undefined, nodes: 1 };
}

/** Unknown effects cannot be read at all, so that nothing said of them is true by accident. */
function compileEffects(at: Place): Expression {
  return {
    run({ variables: { effects } }) {
      if (effects === null) throw new ConditionError("missing", at, "the call has no preview of its effects");
      return effects;
    },
    kind: variables.effects,
    nodes: 1,
  };
}

function compileList(items: readonly Expression[]): Expression {
  return {
    run: (scope) => items.map((item) => item.run(scope)),
    kind: "list",
    items,
    nodes: nodesWith(...items),
  };
}

function compileObject(
  entries: readonly (readonly [ASTNode, ASTNode])[],
  compile: (node: ASTNode) => Expression,
): Expression {
  const fields = entries.map(([key, value]) => {
    // With objects as keys, the library's type checker takes exponential time in the nesting depth.
    if (key.op !== "value" || typeof key.args !== "string") {
      throw new ConditionError("kind", placeOf(key), "keys of an object must be text literals");
    }
    return [key.args, compile(value)] as const;
  });
  return {
    run: (scope) => Object.fromEntries(fields.map(([key, value]) => [key, value.run(scope)])),
    kind: "object",
    nodes: nodesWith(...fields.map(([, value]) => value)),
  };
}

function compileArithmetic(operator: string, left: Expression, right: Expression, at: Place): Expression {
  // Both sides must have the same kind; otherwise evaluation fails.
  const kind = left.kind ?? right.kind;
  return { ...compileCall(arithmetic.get(operator), [left, right], at), kind };
}

function compileFunction(
  name: string,
  args: readonly ASTNode[],
  compile: (node: ASTNode) => Expression,
  at: Place,
): Expression {
  const ofTime = insteadOfTime(name);
  if (ofTime) throw new ConditionError("function", at, `${at.text}: unknown function; ${ofTime}`);
  const [argument] = args;
  if (argument && args.length === 1) {
    if (name === "has") {
      if (argument.op !== ".")
        throw new ConditionError("function", at, "has() requires a field, such as input.amount");
      return compileHas(compile(argument.args[0]), argument.args[1], at);
    }
    const value = compile(argument);
    if (name === "size") return compileSize(value, at);
    if (name === "keys") return compileKeys(value, at);
    if (name === "dyn") return { ...value, kind: undefined };
    const called = compileCall(functions.get(`${name}/1`), [value], at);
    return name === "type" && value.kind === undefined ? { ...called, type: "of the call" } : called;
  }
  return compileCall(functions.get(`${name}/${args.length}`), args.map(compile), at);
}

function compileCall(
  called: LibraryFunction | undefined,
  args: readonly Expression[],
  at: Place,
): Expression {
  if (!called) throw new ConditionError("function", at, `${at.text}: unknown function`);
  return {
    run: (scope) =>
      called.call(
        args.map((argument) => argument.run(scope)),
        scope.meter,
        at,
      ),
    kind: called.kind,
    nodes: nodesWith(...args),
  };
}
