import type { ChatProtocol } from "../stream-chat.js";

const decided = "data: decided\n\n";

/** Sends one event, and ends, as soon as one of these approvals no longer asks the reader. */
export function decidedStream(approvalIds: readonly string[]): ChatProtocol {
  return {
    write({ steps }) {
      const asking = new Set(
        steps.flatMap(({ calls }) => calls.flatMap(({ asks, approval }) => (asks && approval?.id) || [])),
      );
      const ends = !approvalIds.every((id) => asking.has(id));
      return { frames: ends ? decided : "", ends };
    },
    // Another turn has begun, so the calls of this one no longer ask.
    writeEnd: () => decided,
    // The client connects again.
    writeFailure: () => "",
  };
}
