import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import type { Spoken } from "./shorten.js";

/**
 * Renames calls whose id an earlier response has used. Providers refuse a conversation in which two calls have the same
 * id, and some models give all calls of a tool the same id.
 */
export function withUniqueIds<Response extends Spoken>(responses: readonly Response[]): Response[] {
  const taken = new Set<string>();
  return responses.map((response, index) => {
    const renamed = new Map<string, string>();
    for (const part of response.output) {
      if (part.type !== "tool_call") continue;
      for (const { id } of part.tools) {
        if (taken.has(id)) renamed.set(id, derivedId("call", id, index));
        taken.add(renamed.get(id) ?? id);
      }
    }
    return renamed.size === 0 ? response : { ...response, ...withIds(response, renamed) };
  });
}

function withIds({ output, toolCalls }: Spoken, ids: ReadonlyMap<string, string>): Spoken {
  const named = <Tool extends { id: string }>(tool: Tool): Tool => ({
    ...tool,
    id: ids.get(tool.id) ?? tool.id,
  });
  return {
    output: output.map((part) =>
      part.type === "tool_call" ? { ...part, tools: part.tools.map(named) } : part,
    ),
    toolCalls: toolCalls.map((answer) => ({ ...answer, tool: named(answer.tool) })),
  };
}
