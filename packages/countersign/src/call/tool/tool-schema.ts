import { CountersignError } from "@countersign/policy/internal/shared/errors";
import * as z from "zod";
import type { Tool } from "../tool.js";

const representable = new WeakSet<object>();

/**
 * @throws CountersignError `invalid_option` for a tool without a JSON Schema. AgentKit turns the schema into JSON
 * Schema at each model call, and fails the run if it cannot.
 */
export function assertJsonSchema({ name, parameters, mcp }: Tool): void {
  if (mcp || !parameters || representable.has(parameters)) return;
  const problem = jsonSchemaProblem(parameters);
  if (problem === undefined) {
    representable.add(parameters);
    return;
  }
  const shape: unknown = Reflect.get(parameters, "shape");
  const fields = Object.entries(typeof shape === "object" && shape !== null ? shape : {})
    .filter(([, field]) => jsonSchemaProblem(field) !== undefined)
    .map(([field]) => field);
  throw new CountersignError(
    "invalid_option",
    `The parameters of the tool "${name}" have no JSON Schema, so models cannot use it: ${fields.length > 0 ? `${fields.join(", ")}: ` : ""}${problem}. Describe what the model sends (z.iso.datetime() instead of z.date(), z.string() instead of z.bigint()), and convert it in the handler, which gets the model's input unchanged.`,
  );
}

function jsonSchemaProblem(schema: object): string | undefined {
  if (!("_zod" in schema)) return "they are not a Zod 4 schema";
  try {
    z.toJSONSchema(schema as z.ZodType, { target: "draft-7" });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
