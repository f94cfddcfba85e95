import { z } from "zod";
import type { Journal } from "../journal.js";
import type { Unfinished } from "./unfinished.js";

/** A run of the agent, as the engine knows it, and the number of the plan on which it works. */
export interface AgentRun {
  id: string;
  run: number;
  status: string;
  output: unknown;
}

/** What only the engine can say; everything else is judged by the product's own tables and by what happened outside. */
export interface EngineView {
  /** Every run of the agent that has begun. */
  agentRuns(): Promise<AgentRun[]>;
  /** Runs that have not ended and that somebody waits for. */
  unfinished(): Promise<Unfinished[]>;
  /** Changes whenever a run has moved. */
  pulse(): Promise<string>;
  /** How much there is to do, and when the next of it is due, in milliseconds since 1970. */
  outlook(): Promise<{ queued: number; next: number | undefined }>;
  /** Lets what the engine has put off for minutes, after many failures, be tried again now. */
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

/** What the REST API tells of each run that has begun, asked every two seconds at most; its own answers are as old. */
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
