import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { Runtime } from "../../call/run/runtime.js";

/**
 * Withdraws the open questions of a request, because their server no longer waits, and wakes the run. Never fails: if the
 * database does not answer or the wake-up gets lost, the run continues when the questions expire.
 */
export async function withdrawQuestions({ store, wake, logger }: Runtime, requestId: string): Promise<void> {
  try {
    await store.withdrawRequest(requestId, "asker_gone");
    await wake([{ requestId }]);
  } catch (error) {
    logger.warn("A question whose MCP server no longer waits could not be withdrawn; it will expire", {
      requestId,
      error: nameOfThrown(error),
    });
  }
}
