import type { Countersign, CountersignOptions } from "countersign";
import type { PgliteClient } from "countersign/pglite";
import type { ClientOptions, Inngest } from "inngest";
import type postgres from "postgres";

/** Answers a request. */
export type RequestHandler = (request: Request) => Promise<Response>;

/** Stands before a handler: it may look at a request, lose it, repeat it or answer it. */
export type RequestHook = (request: Request, handle: RequestHandler) => Promise<Response>;

/**
 * Every step forces a replay by a new process, so that nothing in memory outlives a step. With `each-step`, the request
 * that finds a step runs it. With `each-planned-step`, it only plans the step, and another request runs it.
 */
export type Replaying = "each-step" | "each-planned-step";

/** An event on its way to the engine. */
export interface SentEvent {
  name: string;
  ts: number;
  data: Record<string, unknown>;
  /** If it was sent with one. */
  id?: string | undefined;
}

/** Whether an event is delivered, lost or delivered twice. */
export type EventFate = "deliver" | "drop" | "twice";

/** Options for what lies between the app, the engine and the databases. They may change in any version. */
export interface UnstableOptions {
  /** @default only as the engine needs it */
  replaying?: Replaying | undefined;
  /** Further options of the Inngest client, such as `checkpointing`. */
  client?: Partial<Omit<ClientOptions, "baseUrl" | "fetch">>;
  /** The engine's database, and its seed for disorder, as `createLocalEngine` takes them. */
  engine?: {
    database?: { pglite: PgliteClient } | { postgres: postgres.Sql };
    disorder?: string | undefined;
  };
  /** Whether the app and the engine talk over real HTTP. @default false: in memory */
  http?: boolean;
  /** Stands between the engine and the app. */
  onRequest?: RequestHook | undefined;
  /** Stands between the app and the engine's API. */
  onEngineRequest?: RequestHook | undefined;
  /** Decides about each event that the app sends, in order. Only without `http`. */
  onEvent?: ((event: SentEvent) => EventFate | Promise<EventFate>) | undefined;
  /** The functions that the app serves of Countersign's. @default all */
  served?: ((functions: Countersign["functions"], inngest: Inngest) => Countersign["functions"]) | undefined;
}

/** What a redeployment may change. */
export type Redeployed = Partial<Omit<CountersignOptions, "inngest" | "store">>;

/** Parts of the installation. They may change in any version. */
export interface UnstableHarness {
  /** The engine of this process. */
  readonly engine: {
    readonly baseUrl: string;
    /** The engine's HTTP API. */
    fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
    /** Adds the functions of another app. */
    registerApp(app: { handler: RequestHandler }): Promise<void>;
    start(): Promise<void>;
    /** Starts no further work, and resolves when all present work has ended. */
    stop(): Promise<void>;
    /** Resolves when no work is in progress and none is due. */
    idle(): Promise<void>;
  };
  readonly clock: {
    /** Milliseconds since the Unix epoch. */
    now(): number;
    advance(duration: string | number): Promise<void>;
  };
  /** Replaces the app's process by one with changed options of the instance. */
  redeploy(changes: Redeployed): void;
}
