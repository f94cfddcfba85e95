import type { CountersignOptions } from "countersign";
import type { ApprovalView } from "countersign/hono";
import { callsFromMessage, callsOf } from "../calls-from-message.js";
import { eventually } from "../harness.js";
import { tripDesk } from "./trip-desk.js";

/** Two calls of one tool, for Oslo and for Rome, in two runs. Each waits for the answer to its question. */
export async function twoTrips(
  server: { url: string; deeds: unknown },
  signingKey?: CountersignOptions["signingKey"],
) {
  const say = (trip: string) => callsOf({ name: "trips-book", input: { trip } });
  const desk = await tripDesk({
    server,
    reply: callsFromMessage,
    message: say("Oslo"),
    ...(signingKey && { countersign: { signingKey } }),
  });
  const oslo = { runId: desk.runId, question: await desk.question() };
  const { runId } = await desk.harness.say(say("Rome"));
  const rome = { runId, question: await desk.harness.nextPending(oslo.question) };
  const { harness, database } = desk;
  return {
    ...{ desk, harness, sql: database.admin, oslo, rome },
    respond: (question: ApprovalView, response: unknown) => desk.respond(response, { question }),
    /** Stops the engine while `work` writes to the database, and then wakes all runs. */
    async meanwhile(work: () => Promise<unknown>) {
      await harness.engine.stop();
      await work();
      await database.admin`
        insert into countersign.outbox (request_id, tenant_id, created_at, attempts, next_attempt_at)
        select id, tenant_id, now(), 0, now() - interval '1 minute' from countersign.requests
        on conflict (request_id) do nothing`;
      await harness.engine.start();
      await harness.clock.advance("61s");
    },
    /** The body of the last request to the model in the run of a call, after the run has ended. */
    modelInput: async ({ runId }: { runId: string }, trip: string) => {
      await harness.ended(runId);
      return eventually(() => {
        const bodies = harness.model.requests.map(({ body }) => JSON.stringify(body));
        return bodies.findLast((body) => body.includes(trip) && body.includes('"role":"tool"'));
      }, "the model reads what became of the call");
    },
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  };
}

export type TwoTrips = Awaited<ReturnType<typeof twoTrips>>;
