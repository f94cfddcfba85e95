import type { Inngest } from "inngest";
import { EngineFailure } from "./engine-failure.js";
import { type EngineAddress, findRun } from "./find-run.js";

export interface StartRunDeps {
  inngest: Pick<Inngest, "send">;
  address: EngineAddress;
  /** The engine's display name. */
  engineName: string;
  log: (line: string) => void;
}

/**
 * Returns a function that sends an event and finds the run that it starts, or `null` if there is none yet. Logs each
 * reason why the engine does not accept events once.
 */
export function startRunWith({ inngest, address, engineName, log }: StartRunDeps) {
  const logged = new Set<string>();
  return async (event: {
    id?: string;
    name: string;
    data: Record<string, unknown>;
  }): Promise<string | null> => {
    try {
      const { ids } = await inngest.send(event);
      const [eventId] = ids;
      return eventId === undefined ? null : await findRun(address, eventId);
    } catch (error) {
      const failure = new EngineFailure(reasonOf(error, engineName), { cause: error });
      if (!logged.has(failure.message)) log(failure.message);
      logged.add(failure.message);
      throw failure;
    }
  };
}

/** The SDK's errors contain the status only in their message. */
function reasonOf(error: unknown, engineName: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const status = /^Inngest API Error: (\d{3})/.exec(message)?.[1];
  if (status === "401")
    return `${engineName} takes no events from this demo: set INNGEST_EVENT_KEY to one of its event keys.`;
  if (status !== undefined) return `${engineName} did not take an event (${message}).`;
  return `${engineName} does not answer (${message}).`;
}
