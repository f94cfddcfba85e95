import { z } from "zod";
import type { Journal } from "../journal.js";
import { type AgentRun, type EngineView, hasEnded, lostFromHistory, readAgentRuns } from "./engine-view.js";

/** So many runs are looked up in their traces as well; until then there is enough to wait for. */
const fewLeft = 10;

const traced = z.object({ data: z.object({ run: z.object({ status: z.string() }).nullable() }).nullable() });

/**
 * A server of Inngest. Each of its APIs may miss the end of a run, since they read tables of their own and each write may
 * find its SQLite locked. The REST API is asked first, because the traces lag behind.
 */
export function inngestView(engineUrl: string, journal: Journal): EngineView {
  const readRuns = readAgentRuns(engineUrl, journal);
  /** Runs that only their trace knows to have ended. */
  const lost = new Set<string>();

  async function completedInTrace({ id }: AgentRun): Promise<boolean> {
    const response = await fetch(`${engineUrl}/v0/gql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        query: "query ($id: String!) { run(runID: $id) { status } }",
        variables: { id },
      }),
    });
    const status = traced.safeParse(await response.json()).data?.data?.run?.status;
    return status === "COMPLETED" || status === "CANCELLED";
  }

  async function agentRuns(): Promise<AgentRun[]> {
    const runs = await readRuns();
    const left = runs.filter((run) => !hasEnded(run) && !lost.has(run.id));
    if (left.length <= fewLeft) {
      for (const run of left) if (await completedInTrace(run)) lost.add(run.id);
    }
    return runs.map((run) => (lost.has(run.id) ? { ...run, status: lostFromHistory } : run));
  }

  const running = async () => (await agentRuns()).filter((run) => !hasEnded(run));
  return {
    agentRuns,
    async unfinished() {
      return (await running()).map(({ id, run, status }) => ({
        ...{ kind: "run", id, status },
        detail: `of message ${run}`,
      }));
    },
    pulse: async () => String((await running()).length),
    // It does not say what it has to do; a run that has not ended may be tried again.
    outlook: async () => ({ queued: (await running()).length, next: undefined }),
    // It has none: its retries come when an app asks for them.
    skipPauses: async () => {},
  };
}
