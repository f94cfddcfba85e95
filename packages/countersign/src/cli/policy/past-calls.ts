import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { PolicyCall } from "../../policy/policy-call.js";
import { zodProblems } from "../../shared/zod-problems.js";
import { UsageError } from "../cli-io.js";
import { factsOption, mcpOption, principalOption } from "../json-option.js";
import { toolOfServer } from "./named-tool.js";

/** A past call and where it was found. */
export interface PastCall {
  /** A file name and line, or an approval's id. */
  at: string;
  call: PolicyCall;
}

const lineSchema = z.strictObject({
  tool: z.string().min(1),
  input: z.unknown(),
  principal: principalOption.nullish(),
  thread: z.string().nullish(),
  profile: z.string().nullish(),
  mcp: mcpOption.nullish(),
  ...factsOption,
});

/**
 * Reads calls from a file with one JSON object per line.
 * @throws UsageError naming file and line.
 */
export async function* callsOfFile(file: string): AsyncGenerator<PastCall> {
  const stream = createReadStream(file, "utf8");
  let line = 0;
  try {
    for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      if (text.trim() !== "") yield { at: `${file}:${line}`, call: callOf(text) };
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${file}:${line}: is not a list of calls with one JSON object per line: ${why}`);
  } finally {
    stream.destroy();
  }
}

function callOf(text: string): PolicyCall {
  const parsed = lineSchema.safeParse(JSON.parse(text));
  if (!parsed.success) {
    throw new Error(zodProblems(parsed.error).join("; "));
  }
  const { tool, input, principal, thread, profile, mcp, effects, reversible, counted } = parsed.data;
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
