import { type Inngest, type InngestFunction, NonRetriableError } from "inngest";
import * as z from "zod";
import type { Store } from "../store/store.js";
import type { EngineSteps } from "./engine-steps.js";
import { events } from "./events.js";
import { sendAtDatabaseTime } from "./send-at.js";

const started = z.object({ canaryId: z.string().min(1) });
const check = z.object({ check: z.string().min(1), last: z.boolean() });

/** Number of checks after which another canary replaces one. */
export const checksPerCanary = 200;
/** Maximum answers of one canary, because a check may be repeated. An Inngest run has at most 1,000 steps. */
const maxAnswers = 400;

/**
 * A run that only waits and answers. The engine keeps it like the runs that wait for decisions, so an engine that has
 * lost it has lost those too.
 */
export function createCanary(inngest: Inngest.Any, idPrefix: string): InngestFunction.Any {
  return inngest.createFunction(
    { id: `${idPrefix}-canary`, retries: 20, triggers: [{ event: events.canaryStarted }] },
    async ({ event, step }) => {
      const data = started.safeParse(event.data);
      if (!data.success) throw new NonRetriableError("The event has no canaryId");
      const { canaryId } = data.data;
      const answer = (name: string, answered: string) =>
        step.run(name, () => inngest.send({ name: events.canaryAnswer, data: { check: answered } }));
      await answer("begun", begun(canaryId));
      for (let count = 0; count < maxAnswers; count++) {
        const asked: unknown = await step.waitForEvent(`check-${count}`, {
          event: events.canaryCheck,
          timeout: "7d",
          if: `async.data.canaryId == ${JSON.stringify(canaryId)}`,
        });
        if (asked === null) return { answered: count };
        const { check: id, last } = check.parse((asked as { data?: unknown }).data);
        await answer(`answer-${count}`, id);
        if (last) return { answered: count + 1 };
      }
      return { answered: maxAnswers };
    },
  );
}

/** Starts a canary and waits for its first answer. False: the engine currently starts no runs. */
export function startCanary(
  inngest: Inngest.Any,
  store: Store,
  step: EngineSteps,
  canaryId: string,
): Promise<boolean> {
  return answers(step, `begin-${canaryId}`, begun(canaryId), () =>
    sendAtDatabaseTime(inngest, store, [{ id: canaryId, name: events.canaryStarted, data: { canaryId } }]),
  );
}

/**
 * Number of unanswered checks after which a canary counts as lost. More than one, because a check or its answer may get
 * lost.
 */
const maxQuestions = 3;

/** Checks whether a canary still runs. `name` is unique within the calling run. With `last`, the canary then ends. */
export async function askCanary(
  inngest: Inngest.Any,
  step: EngineSteps,
  { canaryId, runId, name, last }: { canaryId: string; runId: string; name: string; last: boolean },
): Promise<boolean> {
  for (let question = 0; question < maxQuestions; question++) {
    const id = `${runId}:${name}:${question}`;
    const ask = () => inngest.send({ name: events.canaryCheck, data: { canaryId, check: id, last } });
    if (await answers(step, `${name}-${question}`, id, ask)) return true;
  }
  return false;
}

/** Sends the wait and the check in one batch: the engine registers the wait first, so that no answer is missed. */
async function answers(
  step: EngineSteps,
  name: string,
  check: string,
  ask: () => Promise<unknown>,
): Promise<boolean> {
  const [answer] = await Promise.all([
    step.waitForEvent(`wait-for-${name}`, {
      event: events.canaryAnswer,
      timeout: "15s",
      if: `async.data.check == ${JSON.stringify(check)}`,
    }),
    step.run(`ask-${name}`, async () => {
      await ask();
    }),
  ]);
  return answer !== null;
}

function begun(canaryId: string): string {
  return `begun:${canaryId}`;
}
