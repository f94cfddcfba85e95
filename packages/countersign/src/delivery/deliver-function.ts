import { type Inngest, type InngestFunction, NonRetriableError } from "inngest";
import * as z from "zod";
import { events } from "../orchestrator/events.js";
import type { Store } from "../store/store.js";
import type { Attempt } from "./attempt.js";
import { sendDue } from "./due-events.js";

const dueData = z.object({ deliveryId: z.string().min(1) });
const attempted = z.object({ againInMs: z.number().nullable(), due: z.array(z.string()) });

/** Longer pauses are left to the relay, so that no run sleeps for hours. */
const maxPauseMs = 60_000;
/** Attempts of one run, so that it stays far below Inngest's limit of steps. */
const maxAttempts = 50;

/**
 * Sends one delivery, and repeats failed attempts after short pauses. Two runs for one delivery do no harm, because an
 * attempt needs the lease of its row. So the function needs no concurrency limit of the engine's.
 */
export function createDeliver(
  inngest: Inngest.Any,
  idPrefix: string,
  { store, attempt }: { store: Store; attempt: Attempt },
): InngestFunction.Any {
  return inngest.createFunction(
    { id: `${idPrefix}-deliver`, retries: 5, triggers: [{ event: events.deliveryDue }] },
    async ({ event, step }) => {
      const data = dueData.safeParse(event.data);
      if (!data.success) throw new NonRetriableError("The event has no deliveryId");
      const { deliveryId } = data.data;
      for (let count = 0; count < maxAttempts; count++) {
        const result = await step.run(`attempt-${count}`, () => attempt(deliveryId));
        const { againInMs, due } = attempted.parse(result);
        if (due.length > 0) await step.run(`spread-${count}`, () => sendDue(inngest, store, due));
        if (againInMs === null || againInMs > maxPauseMs) return { attempts: count + 1 };
        if (againInMs > 0) await step.sleep(`pause-${count}`, `${Math.ceil(againInMs / 1000)}s`);
      }
      return { attempts: maxAttempts };
    },
  );
}
