import type { Logger } from "@countersign/policy/internal/shared/logger";
import type { Inngest } from "inngest";
import type { WakeUp } from "../store/ports/request-port.js";
import type { Store } from "../store/store.js";
import { sendWakeUps } from "./wake.js";

/** Milliseconds after sending until unanswered wake-ups are sent again; the second wait is as long. */
const resendMs = 1500;
const maxResends = 2;

interface WakeUpSender {
  send(wakeUps: readonly WakeUp[]): Promise<void>;
  /** Saves the look at the database, where the run goes on in the process that woke it. */
  answered(requestId: string): void;
}

/**
 * Sends wake-ups, and sends the unanswered ones again after a second or two: an event may get lost between the app and
 * the engine. If the process ends first, the relay sends them.
 */
export function createWakeUpSender(inngest: Inngest.Any, store: Store, logger: Logger): WakeUpSender {
  const unanswered = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  const scheduleCheck = () => {
    if (timer || unanswered.size === 0) return;
    timer = setTimeout(() => void resend(), resendMs);
    timer.unref();
  };
  const resend = async () => {
    timer = undefined;
    if (unanswered.size === 0) return;
    // If the database does not answer, the relay sends them.
    const due = await store.wakeUpsStillDue([...unanswered.keys()]).catch(() => []);
    const waiting = new Set(due.map(({ requestId }) => requestId));
    for (const [requestId, resends] of unanswered) {
      if (!waiting.has(requestId) || resends + 1 >= maxResends) unanswered.delete(requestId);
      else unanswered.set(requestId, resends + 1);
    }
    await sendWakeUps({ inngest, store }, due, logger);
    scheduleCheck();
  };

  return {
    async send(wakeUps) {
      for (const { requestId } of wakeUps) unanswered.set(requestId, 0);
      scheduleCheck();
      await sendWakeUps({ inngest, store }, wakeUps, logger);
    },
    answered(requestId) {
      unanswered.delete(requestId);
    },
  };
}
