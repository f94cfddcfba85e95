import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import * as z from "zod";

/** The part of a Standard Schema (standardschema.dev) that validates, as Valibot, ArkType and Zod have it. */
export interface StandardSchema<Input = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): StandardResult<Input> | Promise<StandardResult<Input>>;
    readonly types?: { readonly input: unknown; readonly output: Input } | undefined;
    /** Standard JSON Schema, where the library has it. */
    readonly jsonSchema?: { input(options: { target: string }): Record<string, unknown> } | undefined;
  };
}

/** What a Standard Schema says about a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** What a tool accepts: a schema of Zod 4, another Standard Schema, or a JSON Schema object. */
export type GateInputSchema = StandardSchema | Record<string, unknown>;

/** The arguments that the schema describes; `Record<string, unknown>` for a JSON Schema. */
export type GateInput<Schema> = Schema extends StandardSchema<infer Input> ? Input : Record<string, unknown>;

/**
 * Both forms of a schema that the gate needs: it validates, and Zod can write it as JSON Schema.
 *
 * @throws Error whose message continues "inputSchema …".
 */
export function zodOf(schema: GateInputSchema): z.ZodType {
  if ("_zod" in schema) return schema as unknown as z.ZodType;
  if ("_def" in schema) throw new Error("is a schema of Zod 3. Use Zod 4");
  if ("~standard" in schema) return zodOfStandard((schema as StandardSchema)["~standard"]);
  if (!jsonSchemaWords.some((word) => word in schema)) {
    throw new Error(
      'is no schema. A JSON Schema begins with { type: "object", … }, and its properties are in properties',
    );
  }
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`is no JSON Schema that can be checked (${why}). Simplify it, or give a Zod schema`);
  }
}

/** An object without any of these accepts everything, so it was hardly meant as a JSON Schema. */
const jsonSchemaWords = ["type", "properties", "anyOf", "oneOf", "allOf", "$ref"];

function zodOfStandard({ validate, jsonSchema, vendor }: StandardSchema["~standard"]): z.ZodType {
  const own = z.unknown().transform(async (value, context) => {
    const result = await validate(value);
    if (!result.issues) return result.value;
    for (const { message, path = [] } of result.issues) {
      const keys = path.map((part) => (typeof part === "object" ? part.key : part));
      context.issues.push({ code: "custom", message, path: keys, input: value });
    }
    return z.NEVER;
  });
  const described = jsonSchema?.input({ target: "draft-2020-12" });
  if (!isPlainObject(described)) {
    throw new Error(
      `does not say what JSON Schema it is, as Standard JSON Schema has it (${vendor}). Give a Zod schema or the JSON Schema`,
    );
  }
  // What models and people are told.
  own._zod.toJSONSchema = () => described;
  return own;
}
