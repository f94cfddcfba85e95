import type { ChatProtocol } from "../turn/stream-chat.js";
import type { DecidedQuery } from "./chat-request.js";

const decided = "data: decided\n\n";

/** Sends one event, and ends, as soon as one of these calls no longer asks the reader, or has been undone. */
export function decidedStream({ approval: asked, undoable }: DecidedQuery): ChatProtocol {
  return {
    write({ steps }) {
      const calls = steps.flatMap((step) => step.calls);
      const asking = new Set(calls.flatMap(({ asks, approval }) => (asks && approval?.id) || []));
      const undone = new Set(
        calls.flatMap(({ approval }) => (approval?.undo?.undoneAt && approval.id) || []),
      );
      const ends = !asked.every((id) => asking.has(id)) || undoable.some((id) => undone.has(id));
      return { frames: ends ? decided : "", ends };
    },
    // Another turn has begun, so the calls of this one no longer ask.
    writeEnd: () => decided,
    // The client connects again.
    writeFailure: () => "",
  };
}
