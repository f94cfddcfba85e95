import { z } from "zod";
import type { Journal } from "../journal.js";
import { type AgentRun, type EngineView, hasEnded, lostFromHistory, readAgentRuns } from "./engine-view.js";

/** With this many unfinished runs or fewer, their traces are read as well; with more, there is enough to wait for. */
const fewLeft = 10;

/** The functions in whose runs something waits for a decision, or for its turn. */
const waitingFunctions = ["-orchestrator", "-undo"];

const listed = z.object({
  data: z.object({
    runs: z.object({
      edges: z.array(z.object({ node: z.object({ function: z.object({ slug: z.string() }) }) })),
    }),
  }),
});

const traced = z.object({ data: z.object({ run: z.object({ status: z.string() }).nullable() }).nullable() });

/**
 * The view of an Inngest server. Each of its APIs may miss the end of a run, because each reads tables of its own, and a
 * write may find the SQLite database locked. The REST API is asked first, because the traces lag behind.
 */
export function inngestView(engineUrl: string, journal: Journal): EngineView {
  const begun = new Date();
  const readRuns = readAgentRuns(engineUrl, journal);
  /** Runs whose end only their trace shows. */
  const lost = new Set<string>();

  async function ask(query: string, variables: object): Promise<unknown> {
    const response = await fetch(`${engineUrl}/v0/gql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query, variables }),
    });
    return response.json();
  }

  async function completedInTrace({ id }: AgentRun): Promise<boolean> {
    const answer = await ask("query ($id: String!) { run(runID: $id) { status } }", { id });
    const status = traced.safeParse(answer).data?.data?.run?.status;
    return status === "COMPLETED" || status === "CANCELLED";
  }

  /** The number of Countersign's own runs that have not ended. Between attempts of one, minutes may pass. */
  async function waitingRuns(): Promise<number> {
    const answer = await ask(
      `query ($begun: Time!) { runs(first: 100, orderBy: [{ field: QUEUED_AT, direction: DESC }],
        filter: { from: $begun, status: [RUNNING, QUEUED] }) { edges { node { function { slug } } } } }`,
      { begun },
    );
    const runs = listed.safeParse(answer).data?.data.runs.edges ?? [];
    return runs.filter(({ node }) => waitingFunctions.some((name) => node.function.slug.endsWith(name)))
      .length;
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
    // The server does not show its queue; a run that has not ended may be retried.
    async outlook() {
      const left = (await running()).length;
      return { queued: left || (await waitingRuns()), next: undefined };
    },
    // The server has no such way: its retries come when an app asks for them.
    skipPauses: async () => {},
  };
}
