import * as z from "zod";
import type { GateInputSchema, StandardSchema } from "../loop/input-schema.js";

/** The part of a tool of the AI SDK that the gate uses. */
export interface AiTool {
  description?: unknown;
  inputSchema?: unknown;
  execute?: ((input: never, options: never) => unknown) | undefined;
  needsApproval?: unknown;
  toModelOutput?: ((options: never) => unknown) | undefined;
}

/** What the AI SDK passes to `execute` beside the arguments. */
export interface AiCallOptions {
  toolCallId: string;
  messages?: unknown;
  /** The tool's own, in `ai` 7. */
  context?: unknown;
}

/** A schema as the AI SDK takes it: of Zod or another library, or of its own `jsonSchema()`, perhaps only made on demand. */
export async function schemaOf(given: unknown): Promise<GateInputSchema> {
  const schema: unknown = typeof given === "function" && !("~standard" in given) ? given() : given;
  if (typeof schema !== "object" || schema === null) return given as GateInputSchema;
  if ("~standard" in schema || !("jsonSchema" in schema)) return schema as GateInputSchema;
  const described: unknown = await schema.jsonSchema;
  const validate: unknown = Reflect.get(schema, "validate");
  if (typeof validate !== "function") return described as GateInputSchema;
  return validating(described, async (value) => Reflect.apply(validate, schema, [value]));
}

const validation = z.union([
  z.object({ success: z.literal(true), value: z.unknown() }),
  z.object({ success: z.literal(false), error: z.unknown() }),
]);

function validating(described: unknown, validate: (value: unknown) => Promise<unknown>): StandardSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "ai",
      async validate(value) {
        const result = validation.parse(await validate(value));
        return result.success ? { value: result.value } : { issues: [{ message: String(result.error) }] };
      },
      jsonSchema: { input: () => described as Record<string, unknown> },
    },
  };
}

/** The last value of a tool that yields preliminary results. */
export async function lastOf(result: unknown): Promise<unknown> {
  const given = await result;
  if (typeof given !== "object" || given === null || !(Symbol.asyncIterator in given)) return given;
  let last: unknown;
  for await (const value of given as AsyncIterable<unknown>) last = value;
  return last;
}
