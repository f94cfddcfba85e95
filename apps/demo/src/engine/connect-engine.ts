import { createLocalEngine } from "@countersign/local-engine";
import { Inngest } from "inngest";
import type { DatabaseClient } from "../desk/database.js";
import type { EngineAddress } from "./find-run.js";
import { inngestLogger } from "./inngest-logger.js";
import { registerApp } from "./register-app.js";

type LocalEngine = Awaited<ReturnType<typeof createLocalEngine>>;
type Handler = (request: Request) => Promise<Response>;

/** The engine that runs the functions: in this process, or somewhere else. */
export interface EngineConnection {
  inngest: Inngest;
  address: EngineAddress;
  /** Present where the engine runs in this process. */
  local?: LocalEngine;
  /** Makes the app's functions known and begins to run them. `origin` is where this process listens. */
  start(handler: Handler, origin: string, log: (line: string) => void): Promise<void>;
  stop(): Promise<void>;
}

const client = { id: "countersign-demo", internalLogger: inngestLogger() };

/** Where the SDK's serve handler stands. */
export const servePath = "/api/inngest";

/** The local engine, its state in the demo's own database. */
export async function localEngine(database: DatabaseClient): Promise<EngineConnection> {
  const engine = await createLocalEngine({ database });
  return {
    inngest: new Inngest({ ...client, isDev: true, baseUrl: engine.baseUrl, fetch: engine.fetch }),
    address: engine,
    local: engine,
    async start(handler) {
      await engine.registerApp({ handler });
      await engine.start();
    },
    stop: () => engine.stop(),
  };
}

/** An Inngest Dev Server, a self-hosted Inngest or Inngest Cloud; the first two are told apart by plain http. */
export function remoteEngine(baseUrl: string): EngineConnection {
  const stopping = new AbortController();
  return {
    inngest: new Inngest({ ...client, isDev: new URL(baseUrl).protocol === "http:", baseUrl }),
    address: { baseUrl, fetch: globalThis.fetch },
    async start(_handler, origin, log) {
      // Not awaited: the demo is of use, and says what it waits for, before the engine is there.
      void registerApp(`${origin}${servePath}`, baseUrl, { signal: stopping.signal, log });
    },
    async stop() {
      stopping.abort();
    },
  };
}
