import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { PolicyCall } from "@countersign/policy/internal/policy/policy-call";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import { UsageError } from "../cli-io.js";
import { factsOption, mcpOption, principalOption } from "../json-option.js";
import { toolOfServer } from "./named-tool.js";

/** A past call and where it was found. */
export interface PastCall {
  /** A file name and line, or an approval's id. */
  at: string;
  call: PolicyCall;
}

/** The fields of a line about its call. */
export const pastCallFields = {
  tool: z.string().min(1),
  input: z.unknown(),
  principal: principalOption.nullish(),
  thread: z.string().nullish(),
  profile: z.string().nullish(),
  mcp: mcpOption.nullish(),
  ...factsOption,
};
const lineSchema = z.strictObject(pastCallFields);

/**
 * Reads calls from a file with one JSON object per line.
 * @throws UsageError naming file and line.
 */
export async function* callsOfFile(file: string): AsyncGenerator<PastCall> {
  for await (const { at, line } of linesOfFile(file, lineSchema)) yield { at, call: callOf(line) };
}

/**
 * Reads a file with one JSON object per line.
 * @throws UsageError naming file and line.
 */
export async function* linesOfFile<Line>(
  file: string,
  schema: z.ZodType<Line>,
): AsyncGenerator<{ at: string; line: Line }> {
  const stream = createReadStream(file, "utf8");
  let number = 0;
  try {
    for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (text.trim() !== "") yield { at: `${file}:${number}`, line: parseLine(text, schema) };
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${file}:${number}: is not a list of calls with one JSON object per line: ${why}`);
  } finally {
    stream.destroy();
  }
}

function parseLine<Line>(text: string, schema: z.ZodType<Line>): Line {
  const parsed = schema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(zodProblems(parsed.error).join("; "));
  return parsed.data;
}

export function callOf(line: z.infer<typeof lineSchema>): PolicyCall {
  const { tool, input, principal, thread, profile, mcp, effects, reversible, counted } = line;
  return {
    ...(mcp ? toolOfServer(tool, mcp) : { toolName: tool }),
    input,
    principal: principal ?? null,
    thread: typeof thread === "string" ? { id: thread } : null,
    profile: profile ?? undefined,
    effects,
    reversible,
    counted,
  };
}
