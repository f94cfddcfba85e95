import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { PolicyCall } from "../policy/policy.js";
import { UsageError } from "./cli-io.js";
import { principalOption } from "./json-option.js";

/** A call that was made, and how people find it. */
export interface PastCall {
  /** A line of a file, or an approval's id. */
  at: string;
  call: PolicyCall;
}

const lineSchema = z.strictObject({
  tool: z.string().min(1),
  input: z.unknown(),
  principal: principalOption.nullish(),
  thread: z.string().nullish(),
  profile: z.string().nullish(),
});

/**
 * Calls of a file with one JSON object a line.
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
    throw new UsageError(`${file}:${line}: is not a list of calls, one JSON object a line: ${why}`);
  } finally {
    stream.destroy();
  }
}

function callOf(text: string): PolicyCall {
  const parsed = lineSchema.safeParse(JSON.parse(text));
  if (!parsed.success) {
    throw new Error(
      parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "),
    );
  }
  const { tool, input, principal, thread, profile } = parsed.data;
  return {
    toolName: tool,
    input,
    principal: principal ?? null,
    thread: typeof thread === "string" ? { id: thread } : null,
    profile: profile ?? undefined,
  };
}
