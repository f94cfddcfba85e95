import { z } from "zod";
import type { Journal } from "../journal.js";
import type { Unfinished } from "./unfinished.js";

/** A run of the agent as the engine knows it, and the number of its planned run. */
export interface AgentRun {
  id: string;
  run: number;
  status: string;
  output: unknown;
}

/** What only the engine knows. All else is judged by the product's own tables and by what happened outside. */
export interface EngineView {
  /** Every run of the agent that has begun. */
  agentRuns(): Promise<AgentRun[]>;
  /** Runs that have not ended and that the driver waits for. */
  unfinished(): Promise<Unfinished[]>;
  /** Changes whenever a run has moved. */
  pulse(): Promise<string>;
  /** The number of queued items, and when the next one is due, in milliseconds since 1970. */
  outlook(): Promise<{ queued: number; next: number | undefined }>;
  /** Makes the engine retry now what it has put off for minutes after many failures. */
  skipPauses(): Promise<void>;
}

const runView = z.object({
  data: z.object({ status: z.string(), output: z.unknown().default(null) }).nullable(),
});

/**
 * The status of a run that the engine carried out and cannot show: Inngest's dev server loses rows of its history when its
 * SQLite is locked, and then answers 200 without data. The product's own tables say whether such a run left anything open.
 */
export const lostFromHistory = "Lost from the engine's history";

const ends = ["Completed", "Failed", "Cancelled", lostFromHistory];

export function hasEnded({ status }: AgentRun): boolean {
  return ends.includes(status);
}

/** The REST API's answers about each run that has begun. It is asked every two seconds at most, so they may be that old. */
export function readAgentRuns(engineUrl: string, journal: Journal): () => Promise<AgentRun[]> {
  const known = new Map<string, AgentRun>();
  let readAt = 0;
  const read = async (run: number, id: string): Promise<void> => {
    const response = await fetch(`${engineUrl}/v1/runs/${id}`);
    const data =
      response.status === 404
        ? { status: "unknown to the engine", output: null }
        : runView.parse(await response.json()).data;
    known.set(id, { id, run, ...(data ?? { status: lostFromHistory, output: null }) });
  };
  return async () => {
    const all = [...journal.runIds].flatMap(([run, ids]) => [...ids].map((id) => ({ run, id })));
    const asksAgain = Date.now() - readAt > 2000;
    for (const { run, id } of all) {
      const before = known.get(id);
      if (!before || (asksAgain && !hasEnded(before))) await read(run, id);
    }
    if (asksAgain) readAt = Date.now();
    return all.flatMap(({ id }) => known.get(id) ?? []);
  };
}
