import type { Journal } from "../journal.js";
import { type EngineView, hasEnded, readAgentRuns } from "./engine-view.js";

/** A server of Inngest. Its GraphQL API and its pages lag behind, and may miss the end of a run; its REST API does not. */
export function inngestView(engineUrl: string, journal: Journal): EngineView {
  const agentRuns = readAgentRuns(engineUrl, journal);
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
