import { randomBytes } from "node:crypto";
import { createLocalEngine, type LocalEngine } from "@countersign/local-engine";
import { Inngest } from "inngest";
import type { DatabaseClient } from "../desk/database.js";
import type { EngineConfig, EngineKeys } from "./engine-config.js";
import type { EngineAddress } from "./find-run.js";
import { inngestLogger } from "./inngest-logger.js";
import { keepRegistered } from "./keep-registered.js";
import { isAppKnown, registerApp } from "./register-app.js";
import { withoutSecrets } from "./without-secrets.js";

type Handler = (request: Request) => Promise<Response>;

/** The engine that runs the functions, in this process or elsewhere. */
export interface EngineConnection {
  inngest: Inngest;
  address: EngineAddress;
  /** The engine's display name. */
  engineName: string;
  /** Whether the engine signs its calls to the app. */
  signed: boolean;
  /** Present if the engine runs in this process. */
  local?: LocalEngine;
  /**
   * Registers the app's functions and starts to run them. `handler` receives calls within this process; `origin` is where
   * the process listens.
   */
  start(handler: Handler, origin: string, log: (line: string) => void): Promise<void>;
  stop(): Promise<void>;
}

const client = { id: "countersign-demo", internalLogger: inngestLogger() };

/** Path of the SDK's serve handler. */
export const servePath = "/api/inngest";

/**
 * The local engine, with its state in the demo's database. It signs its calls and accepts none without a key, so both
 * sides' routes are closed to the network. Keys that are not configured are generated for each process.
 */
export async function localEngine(
  database: DatabaseClient,
  { keys, hosts }: { keys: EngineKeys; hosts: readonly string[] },
): Promise<EngineConnection> {
  const signingKey = keys.signingKey ?? `signkey-local-${randomBytes(32).toString("hex")}`;
  const eventKey = keys.eventKey ?? randomBytes(32).toString("hex");
  const engine = await createLocalEngine({ database, hosts, signingKey, eventKeys: [eventKey] });
  const { baseUrl, fetch } = engine;
  return {
    inngest: new Inngest({ ...client, isDev: false, signingKey, eventKey, baseUrl, fetch }),
    address: { baseUrl, fetch, signingKey },
    engineName: "The local engine",
    signed: true,
    local: engine,
    async start(handler) {
      await engine.registerApp({ handler });
      await engine.start();
    },
    stop: () => engine.stop(),
  };
}

/** An Inngest Dev Server, a self-hosted Inngest or Inngest Cloud. */
export function remoteEngine(config: Extract<EngineConfig, { kind: "inngest" }>): EngineConnection {
  const { kind: _, ...options } = config;
  const engineName = `Inngest at ${withoutSecrets(config.baseUrl)}`;
  const stopping = new AbortController();
  const address: EngineAddress = { ...options, fetch: globalThis.fetch };
  return {
    inngest: new Inngest({ ...client, ...options }),
    address,
    engineName,
    signed: !config.isDev,
    async start(handler, origin, log) {
      // Not awaited, so that the demo serves its pages before the engine is available.
      void keepRegistered({
        engineName,
        register: () => registerApp(handler, `${origin}${servePath}`),
        isKnown: () => isAppKnown(address, client.id),
        signal: stopping.signal,
        log,
      });
    },
    async stop() {
      stopping.abort();
    },
  };
}
