import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

const runs = z.object({ data: z.array(z.looseObject({ run_id: z.string() })) });

export interface EngineAddress {
  baseUrl: string;
  fetch: typeof fetch;
}

const pollEveryMs = 50;
const giveUpAfterMs = 5000;

/** The run that an event has started, asked of the engine until it knows; `null` if it takes too long. */
export async function findRun(engine: EngineAddress, eventId: string): Promise<string | null> {
  const url = new URL(`/v1/events/${encodeURIComponent(eventId)}/runs`, engine.baseUrl);
  const signingKey = process.env.INNGEST_SIGNING_KEY;
  const headers: Record<string, string> = signingKey ? { authorization: `Bearer ${signingKey}` } : {};
  const deadline = performance.now() + giveUpAfterMs;
  do {
    const response = await engine.fetch(url, { headers });
    const body = runs.safeParse(response.ok ? await response.json() : undefined);
    const run = body.data?.data[0];
    if (run) return run.run_id;
    await sleep(pollEveryMs);
  } while (performance.now() < deadline);
  return null;
}
