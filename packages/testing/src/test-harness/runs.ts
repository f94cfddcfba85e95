import { describeRun, hasEnded, type RunView } from "./started-run.js";
import type { UnstableHarness } from "./unstable.js";
import type { Until } from "./until.js";

export interface RunsOptions {
  engine: UnstableHarness["engine"];
  appId: string;
  until: Until;
  /** The last decision on each call of a run, if it was refused. */
  refusedDecisions: (runId: string) => string[];
}

/** Finds the runs of a harness at its engine, and waits for their end. */
export function createRuns({ engine, appId, until, refusedDecisions }: RunsOptions) {
  async function view(runId: string): Promise<RunView> {
    const response = await engine.fetch(`${engine.baseUrl}/v1/runs/${runId}`);
    if (!response.ok) throw new Error(`Unknown run "${runId}"`);
    return ((await response.json()) as { data: RunView }).data;
  }

  async function ended(runId: string): Promise<unknown> {
    const found = await until(
      {
        what: `the run ${runId} ends`,
        instead: async () => [describeRun(await view(runId)), ...refusedDecisions(runId)].join("; "),
      },
      async () => {
        const run = await view(runId);
        return hasEnded(run) ? run : undefined;
      },
    );
    if (found.status !== "Completed") throw new Error(`The run ${runId} failed: ${describeRun(found)}`);
    return found.output;
  }

  /** The run that an event has started, of one function if `functionId` is set. */
  async function started(eventId: string | undefined, functionId: string | undefined): Promise<string> {
    const runs = await until(
      { what: functionId ? `a run of "${functionId}" begins` : "a run begins" },
      async () => {
        // The engine caches its response to a URL for some seconds.
        const url = `${engine.baseUrl}/v1/events/${eventId}/runs?at=${performance.now()}`;
        const { data } = (await (await engine.fetch(url)).json()) as { data: RunView[] };
        const wanted = data.filter((run) => !functionId || run.function_id === `${appId}-${functionId}`);
        return wanted.length > 0 ? wanted : undefined;
      },
    );
    const [run] = runs;
    if (runs.length === 1 && run) return run.run_id;
    const names = runs.map((run) => run.function_id.slice(appId.length + 1));
    throw new Error(`The event starts several functions; pass the id of one of them: ${names.join(", ")}`);
  }

  return { view, ended, started };
}
