import { didYouMean } from "../../shared/did-you-mean.js";
import { ConditionError, type Place } from "./condition-error.js";
import { type Expression, nodesWith } from "./expression.js";
import { areEqual, type Kind, kindOf, ownField } from "./values.js";

/**
 * The kind of a field, if it is known.
 * @throws ConditionError if the object never has the field, as with `principal.role`.
 */
function fieldKind({ fields }: Expression, key: string, at: Place): Kind | undefined {
  if (!fields || Object.hasOwn(fields, key)) return fields?.[key];
  const known = Object.keys(fields);
  const hint = didYouMean(key, known) || `; it has only ${known.join(" and ")}`;
  throw new ConditionError("name", at, `${at.text}: unknown field${hint}`);
}

function fieldOf(value: unknown, key: string, at: Place): unknown {
  if (kindOf(value, at) !== "object") {
    throw new ConditionError("kind", at, `${at.text}: only objects have fields`);
  }
  return ownField(value as object, key);
}

/** `object.key` */
export function compileField(object: Expression, key: string, at: Place): Expression {
  return {
    run: (scope) => present(fieldOf(object.run(scope), key, at), at),
    kind: fieldKind(object, key, at),
    type: object.type,
    nodes: nodesWith(object),
  };
}

/** `has(object.key)` */
export function compileHas(object: Expression, key: string, at: Place): Expression {
  fieldKind(object, key, at);
  return {
    run: (scope) => fieldOf(object.run(scope), key, at) !== undefined,
    kind: "true or false",
    nodes: nodesWith(object),
  };
}

/** `list[0]`, `object["key"]` */
export function compileIndex(collection: Expression, index: Expression, at: Place): Expression {
  const { literal } = index;
  const kind = typeof literal === "string" ? fieldKind(collection, literal, at) : undefined;
  return {
    run(scope) {
      const from = collection.run(scope);
      const key = index.run(scope);
      if (Array.isArray(from)) {
        if (kindOf(key, at) !== "number") throw new ConditionError("kind", at);
        return present(from[Number(key)], at);
      }
      const field = fieldOf(from, "", at);
      if (kindOf(key, at) !== "text") throw new ConditionError("kind", at);
      return present(key === "" ? field : ownField(from as object, key as string), at);
    },
    kind,
    nodes: nodesWith(collection, index),
  };
}

function present(value: unknown, at: Place): unknown {
  if (value === undefined) throw new ConditionError("missing", at, `${at.text} is missing`);
  return value;
}

/** `keys(object)` is not part of CEL, which treats an object as a list of its keys. */
export function compileKeys(of: Expression, at: Place): Expression {
  return {
    run(scope) {
      const value = of.run(scope);
      if (kindOf(value, at) !== "object") {
        throw new ConditionError("kind", at, `${at.text}: only objects have keys`);
      }
      const keys = Object.keys(value as object);
      scope.meter.spend(keys.length);
      return keys;
    },
    kind: "list",
    nodes: nodesWith(of),
  };
}

/** `size(list)`, `list.size()` */
export function compileSize(of: Expression, at: Place): Expression {
  return {
    run(scope) {
      const value = of.run(scope);
      if (typeof value === "string" && of.kind === "text") {
        scope.meter.spend(value.length);
        return BigInt([...value].length);
      }
      const counted = countable(value, of.kind, at);
      return BigInt(Array.isArray(counted) ? counted.length : Object.keys(counted).length);
    },
    kind: "number",
    nodes: nodesWith(of),
  };
}

/** `value in list`. Compares every item, so that an item of another kind is always an error. */
export function compileMembership(value: Expression, collection: Expression, at: Place): Expression {
  return {
    run(scope) {
      const searched = value.run(scope);
      const within = countable(collection.run(scope), collection.kind, at);
      if (!Array.isArray(within)) {
        if (kindOf(searched, at) !== "text") throw new ConditionError("kind", at);
        return ownField(within, searched as string) !== undefined;
      }
      scope.meter.spend(within.length);
      let found = false;
      for (const item of within) {
        if (areEqual(searched, item, scope.meter, at)) found = true;
      }
      return found;
    },
    kind: "true or false",
    nodes: nodesWith(value, collection),
  };
}

const fixes: Readonly<Partial<Record<Kind, string>>> = {
  object: "; for the keys of an object, use keys(…)",
  text: "; for a text, use string(…)",
};

/**
 * Returns a list, or an object if the condition itself makes clear that it is one. `size(input.to)` is ambiguous: an
 * object where the author expected a list would be counted and searched by its keys.
 */
export function countable(value: unknown, known: Kind | undefined, at: Place): object {
  const kind = kindOf(value, at);
  if (kind === "list" || (kind === "object" && known === "object")) return value as object;
  throw new ConditionError("kind", at, `${at.text}: expected a list, got ${kind}${fixes[kind] ?? ""}`);
}
