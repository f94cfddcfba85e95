import type { Message } from "@inngest/agent-kit";
import { z } from "zod";
import { derivedId } from "../../shared/canonical-hash.js";
import type { InngestRun } from "../run/inngest-run.js";
import { type ProposedToolCall, toolCallsOf } from "./tool-calls.js";

/**
 * Replaces the ids of calls that do not name exactly one call of the conversation. It works in place and runs before
 * everything else, because approvals, redaction, streams and the transcript find a call by its id.
 *
 * @param key Names the response, in the same way on every replay.
 * @param earlier The conversation that the model was answering.
 */
export async function repairToolCallIds(
  run: Pick<InngestRun, "step" | "hasGoneFurther" | "knowsStep"> | undefined,
  key: string,
  calls: readonly ProposedToolCall[],
  earlier: readonly Message[],
): Promise<void> {
  replaceIds(key, calls, ({ id, name }) => id === name);
  const repeated = await repeatedIds(run, key, calls, earlier);
  replaceIds(key, calls, ({ id }) => repeated.includes(id));
}

/**
 * Replaces ids as earlier versions did, for runs that began with one: their calls were proposed and shown under these
 * ids.
 */
export function repairWithinResponse(key: string, calls: readonly ProposedToolCall[]): void {
  replaceIds(key, calls, () => false);
}

/** Replaces unfit ids, empty ids, and ids that an earlier call of the response has. */
function replaceIds(
  key: string,
  calls: readonly ProposedToolCall[],
  isUnfit: (tool: ProposedToolCall["tool"]) => boolean,
): void {
  const taken = new Set<string>();
  for (const { tool, position } of calls) {
    // Gemini's calls have no ids, and AgentKit gives them the tool's name.
    if (!tool.id || taken.has(tool.id) || isUnfit(tool)) tool.id = derivedId("call", key, position);
    taken.add(tool.id);
  }
}

const idsSchema = z.array(z.string());

/**
 * The ids of these calls that earlier calls of the conversation have too. On a replay, the host may load a later
 * conversation, which contains these very calls. So a step keeps the ids that were found first. If all ids are unique,
 * no step is needed.
 */
async function repeatedIds(
  run: Parameters<typeof repairToolCallIds>[0],
  key: string,
  calls: readonly ProposedToolCall[],
  earlier: readonly Message[],
): Promise<string[]> {
  const taken = new Set(toolCallsOf(earlier).map(({ tool }) => tool.id));
  const found = calls.map(({ tool }) => tool.id).filter((id) => taken.has(id));
  if (!run) return found;
  const step = `countersign:call-ids:${key}`;
  const isNew = found.length > 0 && !run.hasGoneFurther();
  if (!isNew && !run.knowsStep(step)) return [];
  return idsSchema.parse(await run.step.run(step, () => found));
}
