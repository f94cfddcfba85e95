import * as fc from "fast-check";

/** The part of JSON Schema that the API's document uses. */
export interface Schema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  default?: unknown;
}

const deep = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => ({ a: [inner] }), null);

/** Values that no schema of the API expects. */
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom<unknown>(
    ...[
      "",
      " ",
      "\0",
      "a\0b",
      "\ud800",
      "\udc00x",
      "\u202egnp.exe",
      "e\u0301".repeat(300),
      "x".repeat(70_000),
    ],
    ...["'; drop table approvals; --", "../../etc/passwd", "{{7*7}}", "__proto__", "NaN", "-1", "1e999"],
    ...[-1, 0, 1.5, 2 ** 53, -(2 ** 63), 1e308, true, null, [], {}, [[]], [null]],
    ...[deep(300), JSON.parse('{"__proto__": {"type": "approve"}, "constructor": 1}')],
    Array.from({ length: 3000 }, (_, index) => index),
  ),
);

/** Mostly values that fit a schema, limits included, and some that do not. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fitting(schema) }, { weight: 1, arbitrary: hostile });
}

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(valuesOf));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "object": {
      const { properties = {}, required = [] } = schema;
      const known = Object.fromEntries(Object.entries(properties).map(([key, of]) => [key, valuesOf(of)]));
      const exact = fc.record(known, { requiredKeys: required });
      const loose = fc.record({ ...known, unknown: hostile }, { requiredKeys: [] });
      return fc.oneof({ weight: 9, arbitrary: exact }, { weight: 1, arbitrary: loose });
    }
    case "array":
      return fc.array(schema.items ? valuesOf(schema.items) : hostile, {
        minLength: schema.minItems ?? 0,
        maxLength: (schema.minItems ?? 0) + 3,
      });
    case "string":
      return textsOf(schema);
    case "integer":
    case "number": {
      const { minimum = -(2 ** 31), maximum = 2 ** 31 } = schema;
      return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
    }
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return hostile;
  }
}

function textsOf({ minLength = 0, maxLength = 5000 }: Schema): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 30) }),
    fc.constantFrom("x".repeat(minLength), "ü".repeat(maxLength), "x".repeat(maxLength + 1)),
  );
}
