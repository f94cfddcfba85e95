import { type MergedTurn, mergeTurns } from "./merge-turns.js";
import { refuse } from "./refuse.js";
import type { AnthropicMessage } from "./request.js";

/**
 * Checks the turns: a user begins; every `tool_use` has its one `tool_result` at the head of the next turn; every
 * `tool_result` answers a `tool_use` of the turn before.
 */
export function checkPairing(messages: readonly AnthropicMessage[]): void {
  const turns = mergeTurns(messages);
  const first = turns[0];
  if (!first) throw refuse("messages: at least one message is required");
  if (first.role !== "user") throw refuse('messages: first message must use the "user" role');
  checkPlaces(turns);
  checkUniqueIds(turns);
  for (const [index, turn] of turns.entries()) {
    if (turn.role === "user") checkResults(turn, turns[index - 1]);
    else checkAnswered(turn, turns[index + 1]);
  }
}

function checkPlaces(turns: readonly MergedTurn[]): void {
  for (const turn of turns) {
    for (const { block, path } of turn.blocks) {
      if (block.type === "tool_use" && turn.role !== "assistant") {
        throw refuse(`${path}: \`tool_use\` blocks can only be in \`assistant\` messages`);
      }
      if (block.type === "tool_result" && turn.role !== "user") {
        throw refuse(`${path}: \`tool_result\` blocks can only be in \`user\` messages`);
      }
    }
  }
}

function checkUniqueIds(turns: readonly MergedTurn[]): void {
  const seen = new Set<string>();
  for (const { block, path } of turns.flatMap((turn) => turn.blocks)) {
    if (block.type !== "tool_use") continue;
    if (seen.has(block.id)) throw refuse(`${path}: \`tool_use\` ids must be unique`);
    seen.add(block.id);
  }
}

function checkResults(turn: MergedTurn, previous: MergedTurn | undefined): void {
  const asked = new Set(callIds(previous));
  const answered = new Set<string>();
  for (const { block, path } of turn.blocks) {
    if (block.type !== "tool_result") continue;
    const id = block.tool_use_id;
    if (!asked.has(id)) {
      throw refuse(
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (answered.has(id)) {
      throw refuse(
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    answered.add(id);
  }
}

/** Only results at the head of the next turn count. A result after a text counts as missing. */
function checkAnswered(turn: MergedTurn, next: MergedTurn | undefined): void {
  const answered = new Set<string>();
  for (const { block } of next?.blocks ?? []) {
    if (block.type !== "tool_result") break;
    answered.add(block.tool_use_id);
  }
  const open = callIds(turn).filter((id) => !answered.has(id));
  if (open.length === 0) return;
  throw refuse(
    `messages.${turn.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function callIds(turn: MergedTurn | undefined): string[] {
  return (turn?.blocks ?? []).flatMap(({ block }) => (block.type === "tool_use" ? [block.id] : []));
}
