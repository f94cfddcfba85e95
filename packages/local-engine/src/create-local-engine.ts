import { randomUUID } from "node:crypto";
import { MAX_ANY_BODY_BYTES } from "./api/body-limits.js";
import { createApi } from "./api/create-api.js";
import { AllowedApps } from "./apps/allowed-apps.js";
import { functionConfigSchema } from "./apps/function-config.js";
import { Registry } from "./apps/registry.js";
import type { Core } from "./core.js";
import { CronSchedule } from "./cron/cron-schedule.js";
import { Disorder } from "./disorder.js";
import { processEvent } from "./executor/events/process-event.js";
import { InFlight } from "./executor/loop/in-flight.js";
import { Scheduler } from "./executor/loop/scheduler.js";
import type { AppHandler } from "./protocol/app-handler.js";
import { type Clock, systemClock } from "./protocol/clock.js";
import { parseDuration } from "./protocol/duration.js";
import { newUlid } from "./protocol/identifiers.js";
import { loadApps } from "./registration/load-apps.js";
import { registerFunctions } from "./registration/register-app.js";
import { syncApp } from "./registration/sync-app.js";
import { createRequestSourceCheck } from "./requests/check-request-source.js";
import type { DatabaseOption } from "./store/connection/database-option.js";
import { openDatabase } from "./store/connection/open-database.js";
import { Writer } from "./store/writer.js";

/** How an engine is set up. */
export interface LocalEngineOptions {
  /** The database for apps, runs, waits and timers. */
  database: DatabaseOption;
  /** The clock. @default the machine's time */
  clock?: Clock;
  /**
   * Key that signs requests to apps and verifies their responses. API requests must send it as their bearer token,
   * plain or hashed. @default none: nothing is signed, and anyone who can reach the API may use it
   */
  signingKey?: string;
  /** Keys under which events may be sent. @default any key */
  eventKeys?: string[];
  /**
   * Apps of other processes that may register at `POST /fn/register`: the origin of each by its id, such as
   * `{ shop: "http://127.0.0.1:3000" }`. The engine sends their runs there and nowhere else, also after a restart.
   * @default {} (only `registerApp` and `syncApp` add apps)
   */
  apps?: Readonly<Record<string, string>>;
  /**
   * Host names and IP addresses under which the API is served, without ports. Loopback always works; `"0.0.0.0"` and
   * `"::"` stand for every IP address. The engine refuses requests with another `Host`, and requests from pages of
   * another origin.
   * @default []
   */
  hosts?: readonly string[];
  /**
   * How long ended runs and received events are kept, such as `"30d"`. At least a day, because an event id starts a
   * function only once within a day. `false` keeps them for ever.
   * @default "7d"
   */
  retention?: string | false;
  /**
   * A seed for what Inngest's server may do at any time: the engine reorders and repeats requests to apps, lets steps run in
   * requests of their own, and loses, delays and repeats checkpoints. The same seed repeats these decisions.
   * @default none: everything happens once and in order
   */
  disorder?: string;
  /** Where the engine logs. @default the console */
  logger?: Pick<Console, "warn" | "error">;
  /** Makes the model calls of `step.ai.infer`. @default the global `fetch` */
  modelFetch?: typeof fetch;
}

/** An app that runs in this process. */
export interface InProcessApp {
  /** The handler that `serve` of `inngest/edge` returns. */
  handler: AppHandler;
  /** The URL that the app uses for itself. Nothing listens there. */
  url?: string;
}

/** An engine for Inngest apps, in this process. */
export interface LocalEngine {
  /**
   * The address for the `baseUrl` of an Inngest client of this process. `fetch` answers requests to it, and nothing
   * listens there. Each engine has a different address, so a request to it must come from this process.
   */
  readonly baseUrl: string;
  /** The HTTP API. Serve it, or use it as the `fetch` of an Inngest client of this process. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Registers the functions of an app of this process. The engine calls its handler from then on. */
  registerApp(app: InProcessApp): Promise<void>;
  /** Syncs the functions of an app over HTTP. Afterwards, the app may also register itself. */
  syncApp(url: string): Promise<void>;
  /** Starts the engine. Work that is due in the database continues. */
  start(): Promise<void>;
  /**
   * Starts no further work. Resolves when all requests to apps and to the engine have been answered; from then on, it
   * does not use its database, and answers with 503 until it starts again.
   */
  stop(): Promise<void>;
  /** Resolves when no work is in progress and none is due. */
  idle(): Promise<void>;
}

const IN_PROCESS_APP_URL = "http://app.local-engine.invalid/api/inngest";

/**
 * Creates an engine that speaks Inngest's SDK protocol. It takes over the database: an engine that was created on it
 * earlier stops. It is for one process on one machine.
 *
 * @throws Error if `signingKey` is empty, if `retention` is not a duration of at least a day, or if `apps` or `hosts`
 * has an invalid entry.
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
  if (options.signingKey === "") throw new Error("signingKey: must not be empty; omit it to disable signing");
  const allowedApps = new AllowedApps(options.apps ?? {});
  const refusalOf = createRequestSourceCheck({
    hosts: options.hosts ?? [],
    maxBodyBytes: MAX_ANY_BODY_BYTES,
  });
  const retentionMs = retentionOf(options.retention ?? "7d");
  const baseUrl = `http://${randomUUID()}.local-engine.invalid`;
  const database = await openDatabase(options.database);
  const registry = new Registry();
  const inFlight = new InFlight();
  const writer: Writer = new Writer(database.db, now, {
    onEmit: (write, event) => processEvent(registry, write, event, newUlid(write.now)),
    onCommit: (write) => scheduler.committed(write),
    onUncertain: () => scheduler.lookSoon(),
    onSettled: () => scheduler.settled(),
  });
  const core: Core = {
    db: database.db,
    writer,
    registry,
    logger: options.logger ?? console,
    modelFetch: options.modelFetch ?? ((input, init) => fetch(input, init)),
    signingKey: options.signingKey,
    retentionMs,
    disorder: options.disorder === undefined ? undefined : new Disorder(options.disorder),
    now,
  };
  const scheduler: Scheduler = new Scheduler(core, clock, new CronSchedule(), inFlight);
  await writer.takeOver();
  await loadApps(core, allowedApps);

  const api = createApi(core, inFlight, {
    ownUrl: baseUrl,
    refusalOf,
    eventKeys: options.eventKeys,
    allowedApps,
    onRegistered: () => scheduler.appsChanged(),
  });

  async function sync(url: string, handler: AppHandler | undefined): Promise<string> {
    const synced = await syncApp({ url, handler, signingKey: options.signingKey });
    const id = synced?.id ?? registry.findAppAt(url);
    if (id === undefined)
      throw new Error(`The app at ${url} responded but did not register with this engine`);
    if (handler) registry.setHandler(id, handler);
    else allowedApps.add(id, synced?.url ?? url);
    if (synced) {
      const functions = functionConfigSchema.array().parse(synced.functions);
      await registerFunctions(core, { id, url: synced.url, inProcess: handler !== undefined, functions });
    }
    scheduler.appsChanged();
    return id;
  }

  let isStopped = false;
  let isClosed = false;
  const answering = new Set<Promise<unknown>>();
  return {
    baseUrl,
    async fetch(input, init) {
      if (isStopped)
        return Response.json({ error: "The local engine has stopped", status: 503 }, { status: 503 });
      const answer = Promise.resolve(
        api.fetch(input instanceof Request && !init ? input : new Request(input, init)),
      );
      answering.add(answer);
      return answer.finally(() => answering.delete(answer));
    },
    async registerApp(app) {
      await sync(app.url ?? IN_PROCESS_APP_URL, app.handler);
    },
    async syncApp(url) {
      await sync(url, undefined);
    },
    start() {
      isStopped = isClosed;
      return scheduler.start();
    },
    async stop() {
      // Until its requests to apps are answered, these may ask the engine.
      await scheduler.stop();
      isStopped = true;
      await Promise.allSettled(answering);
      await scheduler.stop();
      if (options.database === "memory") {
        isClosed = true;
        await database.close();
      }
    },
    idle: () => scheduler.idle(),
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

function retentionOf(retention: string | false): number | undefined {
  if (retention === false) return undefined;
  const ms = parseDuration(retention);
  if (ms >= DAY_MS) return ms;
  throw new Error('retention: must be a duration of at least one day, such as "7d", or false');
}
