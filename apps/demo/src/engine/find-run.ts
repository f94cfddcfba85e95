import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

const runs = z.object({ data: z.array(z.looseObject({ run_id: z.string() })) });

export interface EngineAddress {
  baseUrl: string;
  fetch: typeof fetch;
  signingKey?: string;
}

const pollEveryMs = 50;
const giveUpAfterMs = 5000;

/** Polls the engine for the run that an event has started. `null` if it takes too long. */
export async function findRun(engine: EngineAddress, eventId: string): Promise<string | null> {
  const url = new URL(`/v1/events/${encodeURIComponent(eventId)}/runs`, engine.baseUrl);
  const headers = authorizationOf(engine);
  const deadline = performance.now() + giveUpAfterMs;
  for (let attempt = 1; performance.now() < deadline; attempt++) {
    // Inngest caches responses by URL for 15 seconds, even empty ones.
    url.searchParams.set("attempt", String(attempt));
    const response = await engine.fetch(url, { headers });
    const body = runs.safeParse(response.ok ? await response.json() : undefined);
    const run = body.data?.data[0];
    if (run) return run.run_id;
    if (response.status === 401) return null;
    await sleep(pollEveryMs);
  }
  return null;
}

/** The headers that authenticate to the engine's API. */
export function authorizationOf({ signingKey }: EngineAddress): Record<string, string> {
  return signingKey === undefined ? {} : { authorization: `Bearer ${signingKey}` };
}
