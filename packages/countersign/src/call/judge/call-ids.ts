import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import { engineText } from "@countersign/policy/internal/shared/engine-text";
import type { Message } from "../message.js";
import { type ProposedToolCall, toolCallsOf } from "./tool-calls.js";

/**
 * The ids of a response's calls, each naming exactly one call of the conversation. Approvals, redaction, streams and the
 * transcript find a call by its id, so ids that are empty, repeated or the tool's own name are replaced: Gemini's calls have
 * no ids, and AgentKit gives them the tool's name.
 *
 * @param name Names the response, and cannot be guessed from its content.
 * @param earlier The conversation that the model was answering.
 */
export function uniqueCallIds(
  name: string,
  calls: readonly ProposedToolCall[],
  earlier: readonly Message[],
): string[] {
  const taken = new Set(toolCallsOf(earlier).map(({ tool }) => tool.id));
  return calls.map(({ tool, position }) => {
    // The step's output would otherwise make two ids equal.
    const given = engineText(tool.id);
    const isUnique = given !== "" && given !== tool.name && !taken.has(given);
    const id = isUnique ? given : derivedId("call", name, position);
    taken.add(id);
    return id;
  });
}
