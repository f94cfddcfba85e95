import type { Logger } from "@countersign/policy/internal/shared/logger";
import type { Inngest } from "inngest";
import type { Store } from "../store/store.js";
import { events } from "./events.js";
import { sendAtDatabaseTime } from "./send-at.js";
import { sendWithTimeout } from "./wake.js";

/**
 * Starts the orchestrator of a request for which no run waits, so that it reminds, escalates and expires. Never fails:
 * people can decide without it, and a program that repeats its request starts it again.
 */
export async function openRequest(
  { inngest, store, logger }: { inngest: Inngest.Any; store: Store; logger: Logger },
  requestId: string,
): Promise<void> {
  const event = { id: `${requestId}:opened`, name: events.requestOpened, data: { requestId } };
  await sendWithTimeout(sendAtDatabaseTime(inngest, store, [event]), {
    what: "the start of a request; it does not remind or escalate until the program repeats it",
    logger,
  });
}
