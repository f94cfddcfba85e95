import type { AnthropicBlock, AnthropicMessage } from "./request.js";

/** A block and where the client wrote it, for error messages. */
export interface PlacedBlock {
  block: AnthropicBlock;
  path: string;
}

export interface MergedTurn {
  role: "user" | "assistant";
  /** Index of the first message that went into this turn. */
  at: number;
  blocks: PlacedBlock[];
}

/** Consecutive messages of one role are one turn to the provider; its rules hold for turns. */
export function mergeTurns(messages: readonly AnthropicMessage[]): MergedTurn[] {
  const turns: MergedTurn[] = [];
  for (const [index, message] of messages.entries()) {
    const blocks = message.content.map((block, position) => ({
      block,
      path: `messages.${index}.content.${position}`,
    }));
    const last = turns.at(-1);
    if (last?.role === message.role) last.blocks.push(...blocks);
    else turns.push({ role: message.role, at: index, blocks });
  }
  return turns;
}
