import { countedSchema } from "@countersign/policy/internal/policy/counted-schema";
import { readText } from "@countersign/policy/internal/policy/files/read-policy-file";
import { effectsSchema, reversibleSchema } from "@countersign/policy/internal/previews/effect-schema";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import { UsageError } from "./cli-io.js";

export const principalOption = z.strictObject({
  id: z.string().min(1),
  roles: z.array(z.string()).default([]),
});

const annotations = { readOnlyHint: z.boolean().optional(), destructiveHint: z.boolean().optional() };

/** What an MCP server says of its tool. */
export const annotationsOption = z.object(annotations);

/** The MCP server of a call's tool, and what it says of the tool. */
export const mcpOption = z.strictObject({ server: z.string().min(1), ...annotations });

/** What a call would change, as its tool's preview would say it, and what limits over time counted. */
export const factsOption = {
  effects: effectsSchema.nullish(),
  reversible: reversibleSchema.nullish(),
  counted: countedSchema.nullish(),
};

/**
 * Parses an option's value: JSON, or `@` and the name of a JSON file.
 * @throws UsageError naming the option.
 */
export function jsonOption<T>(option: string, text: string, schema: z.ZodType<T>): T {
  let json = text;
  if (text.startsWith("@")) {
    const read = readText(text.slice(1));
    if (!read.ok) throw new UsageError(`${option} ${text}: ${read.problem.message}`);
    json = read.text;
  }
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${option} must be JSON, or @ and the name of a JSON file: ${why}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UsageError(zodProblems(parsed.error, option).join("; "));
}
