import { Inngest, type InngestFunction } from "inngest";
import { serve } from "inngest/edge";
import {
  createLocalEngine,
  createTestClock,
  type LocalEngine,
  type LocalEngineOptions,
  type TestClock,
} from "../index.js";
import { emptyPglite } from "./shared-pglite.js";

/** A run as `GET /v1/runs/{id}` shows it. */
export interface RunView {
  run_id: string;
  status: "Running" | "Completed" | "Failed" | "Cancelled";
  function_id: string;
  output: unknown;
  ended_at: string | null;
  event_id: string;
}

/** An engine and an app of the real SDK in one process. */
export interface Harness extends AsyncDisposable {
  engine: LocalEngine;
  clock: TestClock;
  inngest: Inngest;
  /** Sends an event and waits until all work is done. Returns the runs that the event started. */
  send(name: string, data?: Record<string, unknown>, id?: string): Promise<RunView[]>;
  runsOf(eventId: string): Promise<RunView[]>;
  run(runId: string): Promise<RunView>;
}

/** Client options that differ between tests. */
export interface HarnessOptions extends Partial<Omit<LocalEngineOptions, "clock">> {
  client?: Partial<ConstructorParameters<typeof Inngest>[0]>;
}

const silent = { info() {}, warn() {}, error() {}, debug() {} };

/** Starts an engine on an empty database and registers the functions that `define` makes. */
export async function createHarness(
  define: (inngest: Inngest) => InngestFunction.Any[],
  options: HarnessOptions = {},
): Promise<Harness> {
  const { client, ...engineOptions } = options;
  const clock = createTestClock();
  const database = engineOptions.database ?? { pglite: await emptyPglite() };
  const engine = await createLocalEngine({ clock, ...engineOptions, database });
  const inngest = new Inngest({
    id: "app",
    isDev: true,
    baseUrl: engine.baseUrl,
    fetch: engine.fetch,
    logger: silent,
    ...client,
  });
  await engine.registerApp({ handler: serve({ client: inngest, functions: define(inngest) }) });
  await engine.start();
  const get = async (path: string): Promise<unknown> => {
    const response = await engine.fetch(`${engine.baseUrl}${path}`);
    return ((await response.json()) as { data: unknown }).data;
  };
  // The engine gives the same answer to the same URL for 15 seconds.
  const runsOf = async (eventId: string) =>
    (await get(`/v1/events/${eventId}/runs?at=${performance.now()}`)) as RunView[];
  return {
    engine,
    clock,
    inngest,
    runsOf,
    run: async (runId) => (await get(`/v1/runs/${runId}`)) as RunView,
    async send(name, data = {}, id) {
      const { ids } = await inngest.send({ name, data, ...(id ? { id } : {}) });
      await engine.idle();
      return runsOf(ids[0] ?? "");
    },
    async [Symbol.asyncDispose]() {
      await engine.stop();
    },
  };
}
