import { randomUUID } from "node:crypto";
import type { CrashPoint } from "@countersign/policy/internal/shared/crash-point";
import type { PGlite } from "@electric-sql/pglite";
import type { StateData } from "@inngest/agent-kit";
import { storeVerbs } from "countersign/internal";
import { scriptedModel } from "../scripted-model/index.js";
import { listen } from "../scripted-model/listen.js";
import { type App, createApp, type Message } from "./app.js";
import { giveBackDatabase, takeDatabase } from "./databases.js";
import { createEventFilter } from "./event-filter.js";
import { modelFetch } from "./model-of-format.js";
import type { TestHarnessOptions } from "./options.js";
import {
  createSimulatedProcess,
  type PlannedFault,
  ProcessDied,
  type SimulatedProcess,
  storeOf,
} from "./simulated-process.js";
import type { Redeployed, RequestHandler, RequestHook } from "./unstable.js";

/** Engine, databases, model and the app's process. `messages` are those that its agent can be sent. */
export async function openInstallation<S extends StateData>(
  options: TestHarnessOptions<S>,
  messages: ReadonlyMap<string, Message<S>>,
) {
  const { unstable = {} } = options;
  // Loaded here, because a test that only uses the scripted model needs neither.
  const { createLocalEngine, createTestClock } = await import("@countersign/local-engine");
  const { pgliteStore } = await import("countersign/pglite");
  const clock = createTestClock();
  const clockOffset = () => clock.now() - Date.now();
  let taken: PGlite | undefined;
  const embedded = async () => {
    taken ??= await takeDatabase();
    return taken;
  };
  const store = storeVerbs(
    options.store?.({ clockOffset }) ?? pgliteStore({ client: await embedded(), clockOffset }),
  );
  await store.migrate();
  const model = scriptedModel({ reply: options.reply });
  const { disorder } = unstable.engine ?? {};
  const engine = await createLocalEngine({
    database: unstable.engine?.database ?? { pglite: await embedded() },
    clock,
    logger: { warn: () => {}, error: () => {} },
    modelFetch: modelFetch(model),
    ...(disorder === undefined ? {} : { disorder }),
  });
  const closing: (() => unknown)[] = [
    () => engine.stop(),
    () => store.close(),
    () => taken && giveBackDatabase(taken),
  ];
  const serveOverHttp = async (handler: RequestHandler) => {
    const server = await listen(handler, 0);
    closing.push(() => server.close());
    return server.url;
  };

  // Several harnesses may use the same database of yours, so each needs an app id of its own.
  const appId = unstable.client?.id ?? `countersign-test-${randomUUID()}`;
  const askEngine = hooked((request) => engine.fetch(request), unstable.onEngineRequest);
  const baseUrl = unstable.http ? await serveOverHttp(askEngine) : engine.baseUrl;
  const events = createEventFilter(
    unstable.http ? fetch : (input, init) => askEngine(new Request(input, init)),
    unstable.onEvent,
  );
  let crash: { point: CrashPoint; happened: number } | undefined;
  let changes: Redeployed = {};
  let isClosing = false;

  const startProcess = () => {
    const dies = (point: CrashPoint) => {
      if (crash?.point !== point || crash.happened > 0) return false;
      crash.happened += 1;
      return true;
    };
    const process: SimulatedProcess = createSimulatedProcess(dies, () => running?.process === process);
    const app: App<S> = createApp(options, {
      id: appId,
      baseUrl,
      messages,
      changes,
      store: storeOf(process, store),
      fetch: process.whileAlive(events.fetch),
      isClosing: () => isClosing,
    });
    return { process, app };
  };
  let running: { process: SimulatedProcess; app: App<S> };
  /** Runs `work` in a process of the app. If it dies and was the running one, a new one takes its place. */
  async function inApp<T>(work: (app: App<S>) => Promise<T>, within = running): Promise<T> {
    const { process, app } = within;
    try {
      return await process.run(() => work(app));
    } finally {
      if (process.diedAt !== undefined && running.process === process) running = startProcess();
    }
  }
  /**
   * Handles a request of the engine. If the process dies before it answers, the engine repeats the request to the new
   * one.
   */
  async function handle(request: Request): Promise<Response> {
    const copy = unstable.replaying === "each-planned-step" ? await onlyPlanning(request) : request.clone();
    try {
      return await inApp((app) => app.handle(copy), unstable.replaying ? startProcess() : running);
    } catch (error) {
      if (error instanceof ProcessDied) return handle(request);
      throw error;
    }
  }
  async function close(): Promise<void> {
    isClosing = true;
    for (const end of closing) await end();
  }
  try {
    running = startProcess();
    const handler = hooked(handle, unstable.onRequest);
    await engine.start();
    if (unstable.http) await engine.syncApp(`${await serveOverHttp(handler)}/api/inngest`);
    else await engine.registerApp({ handler });
  } catch (error) {
    await close();
    throw error;
  }

  return {
    appId,
    clock,
    store,
    model,
    engine,
    inApp,
    close,
    dropWakeUps: events.dropWakeUps,
    /** The app of the running process. */
    get app() {
      return running.app;
    },
    crashAt(point: CrashPoint): PlannedFault {
      crash = { point, happened: 0 };
      return crash;
    },
    redeploy(changed: Redeployed) {
      changes = { ...changes, ...changed };
      running = startProcess();
    },
  };
}

function hooked(handle: RequestHandler, hook: RequestHook | undefined): RequestHandler {
  return hook ? (request) => hook(request, handle) : handle;
}

/** A copy of the request, in which only a step that the request names may run. */
async function onlyPlanning(request: Request): Promise<Request> {
  if (request.method !== "POST") return request.clone();
  const body = (await request.clone().json()) as { ctx: object };
  const ctx = { ...body.ctx, disable_immediate_execution: true };
  return new Request(request.clone(), { body: JSON.stringify({ ...body, ctx }) });
}
