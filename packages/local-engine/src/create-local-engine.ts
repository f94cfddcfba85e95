import { createApi } from "./api/create-api.js";
import { functionConfigSchema } from "./apps/function-config.js";
import { registerFunctions } from "./apps/register-app.js";
import { type AppHandler, Registry } from "./apps/registry.js";
import { syncApp } from "./apps/sync-app.js";
import { type Clock, systemClock } from "./clock.js";
import { CronSchedule } from "./cron/cron-schedule.js";
import { processEvent } from "./events/process-event.js";
import type { Core } from "./executor/core.js";
import { InFlight } from "./executor/in-flight.js";
import { Scheduler } from "./executor/scheduler.js";
import { newUlid } from "./identifiers.js";
import { listApps } from "./store/apps.js";
import { type DatabaseOption, openDatabase } from "./store/open-database.js";
import { Writer } from "./store/writer.js";

/** How an engine is set up. */
export interface LocalEngineOptions {
  /** Where apps, runs, waits and timers are kept. */
  database: DatabaseOption;
  /** Default: the machine's time. */
  clock?: Clock;
  /**
   * When set, requests to apps are signed and their answers must be, and API requests must carry the key's hash as
   * their bearer token.
   */
  signingKey?: string;
  /** When set, events come in under these keys only. */
  eventKeys?: string[];
  /** Default: `console`. */
  logger?: Pick<Console, "warn" | "error">;
  /** Makes the model calls of `step.ai.infer`. Default: the global `fetch`. */
  modelFetch?: typeof fetch;
}

/** An app that runs in this process. */
export interface InProcessApp {
  /** What `serve` of `inngest/edge` returns. */
  handler: AppHandler;
  /** The address by which the app knows itself; nothing listens there. */
  url?: string;
}

/** An engine for Inngest apps, in this process. */
export interface LocalEngine {
  /** The address under which `fetch` answers, for the `baseUrl` of an Inngest client. Nothing listens there. */
  readonly baseUrl: string;
  /** The HTTP API: to be served, or to be the `fetch` of an Inngest client of this process. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Takes in the functions of an app of this process, and calls its handler from then on. */
  registerApp(app: InProcessApp): Promise<void>;
  /** Asks an app that is reached over HTTP for its functions. */
  syncApp(url: string): Promise<void>;
  /** Begins to work. What is due in the database goes on. */
  start(): Promise<void>;
  /** Begins nothing more, and resolves when the requests to apps have been answered. */
  stop(): Promise<void>;
  /** Resolves when nothing is being carried out and nothing is due. */
  idle(): Promise<void>;
}

const BASE_URL = "http://local-engine.invalid";
const IN_PROCESS_APP_URL = "http://app.local-engine.invalid/api/inngest";

/**
 * Creates an engine that speaks Inngest's SDK protocol. An engine that was created on the same database before stops:
 * one process on one machine.
 *
 * @example
 * ```ts
 * import { createLocalEngine } from "@countersign/local-engine";
 * import { Inngest } from "inngest";
 * import { serve } from "inngest/edge";
 *
 * const engine = await createLocalEngine({ database: "memory" });
 * const inngest = new Inngest({ id: "app", isDev: true, baseUrl: engine.baseUrl, fetch: engine.fetch });
 * const hello = inngest.createFunction({ id: "hello", triggers: [{ event: "app/hello" }] }, () => "hello");
 * await engine.registerApp({ handler: serve({ client: inngest, functions: [hello] }) });
 * await engine.start();
 * ```
 */
export async function createLocalEngine(options: LocalEngineOptions): Promise<LocalEngine> {
  const clock = options.clock ?? systemClock;
  const now = () => Math.round(clock.now());
  const database = await openDatabase(options.database);
  const registry = new Registry();
  const inFlight = new InFlight();
  const inProcessUrls = new Set<string>();
  const writer: Writer = new Writer(database.db, now, {
    onEmit: (write, event) => processEvent(registry, write, event, newUlid(write.now)),
    onCommit: (write) => scheduler.committed(write),
    onSettled: () => scheduler.settled(),
  });
  const core: Core = {
    db: database.db,
    writer,
    registry,
    logger: options.logger ?? console,
    modelFetch: options.modelFetch ?? ((input, init) => fetch(input, init)),
    signingKey: options.signingKey,
    now,
  };
  const scheduler: Scheduler = new Scheduler(core, clock, new CronSchedule(), inFlight);
  await writer.takeOver();
  for (const app of await listApps(database.db)) registry.set(app);

  const api = createApi(core, inFlight, {
    eventKeys: options.eventKeys,
    isInProcess: (url) => inProcessUrls.has(url),
    onRegistered: () => scheduler.appsChanged(),
  });

  async function sync(url: string, handler: AppHandler | undefined): Promise<string> {
    const synced = await syncApp({ url, handler, signingKey: options.signingKey });
    const id = synced?.id ?? registry.findAppAt(url);
    if (id === undefined)
      throw new Error(`The app at ${url} answered, but did not register with this engine`);
    if (handler) registry.setHandler(id, handler);
    if (synced) {
      const functions = functionConfigSchema.array().parse(synced.functions);
      await registerFunctions(core, { id, url: synced.url, inProcess: handler !== undefined, functions });
    }
    scheduler.appsChanged();
    return id;
  }

  let closed = false;
  return {
    baseUrl: BASE_URL,
    async fetch(input, init) {
      if (closed)
        return Response.json({ error: "The local engine has stopped", status: 503 }, { status: 503 });
      return api.fetch(new Request(input, init));
    },
    async registerApp(app) {
      const url = app.url ?? IN_PROCESS_APP_URL;
      inProcessUrls.add(url);
      await sync(url, app.handler);
    },
    async syncApp(url) {
      await sync(url, undefined);
    },
    start: () => scheduler.start(),
    async stop() {
      await scheduler.stop();
      if (options.database === "memory") {
        closed = true;
        await database.close();
      }
    },
    idle: () => scheduler.idle(),
  };
}
