import { createLocalEngine, createTestClock } from "@countersign/local-engine";
import { definePolicy } from "countersign";
import { type Countersign, createCountersign } from "countersign/agent-kit";
import { Inngest, type InngestFunction } from "inngest";
import { serve } from "inngest/edge";
import { freshPostgres } from "./databases.js";
import { listenOn } from "./http/listen-on.js";
import type { SentEvent } from "./recording-inngest.js";
import { postgresStore } from "./store.js";

/** The server under test; without one, the local engine in this process. */
export const realServer = process.env.INNGEST_BASE_URL || undefined;

export interface HostAppOptions {
  /** The host's own functions. */
  functions(parts: { inngest: Inngest; countersign: () => Countersign }): InngestFunction.Any[];
  /** Whether an event of the app gets lost on its way to the engine. */
  loses?: (event: SentEvent) => boolean;
}

/** A host's app with functions of its own, on the real Inngest server that is given, or else on the local engine. */
export async function openHostApp({ functions, loses = () => false }: HostAppOptions) {
  const database = await freshPostgres();
  const clock = createTestClock();
  const store = postgresStore({
    client: database.postgres,
    clockOffset: () => clock.now() - Date.now() + storeAhead,
  });
  let storeAhead = 0;
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const engine = realServer
    ? undefined
    : await createLocalEngine({ database: { postgres: database.postgres }, clock, logger });
  const baseUrl = realServer ?? engine?.baseUrl ?? "";
  const toEngine = (request: Request) => (engine ? engine.fetch(request) : fetch(request));
  const inngest = new Inngest({
    ...{ id: "host", isDev: true, baseUrl, logger },
    async fetch(input, init) {
      const request = new Request(input, init);
      if (!new URL(request.url).pathname.startsWith("/e/")) return toEngine(request);
      const events = (await request.clone().json()) as SentEvent[];
      const body = JSON.stringify(events.filter((event) => !loses(event)));
      return toEngine(new Request(request, { body }));
    },
  });
  let countersign: Countersign | undefined;
  const instance = () => {
    if (!countersign) throw new Error("unreachable: functions run later");
    return countersign;
  };
  countersign = createCountersign({
    ...{ inngest, store, logger, tenantId: "acme", policy: definePolicy({ tools: {} }) },
  });
  const own = functions({ inngest, countersign: instance });
  const handler = serve({ client: inngest, functions: [...countersign.functions, ...own] });
  const served = engine ? undefined : await listenOn(handler);
  if (served) await fetch(`${served.url}/api/inngest`, { method: "PUT" });
  await engine?.registerApp({ handler });
  await engine?.start();
  return {
    countersign,
    store,
    database,
    /** Moves the time of the database and of the local engine. */
    advance: (duration: string) => clock.advance(duration),
    /** Moves the time of the database alone. */
    advanceStore: (ms: number) => {
      storeAhead += ms;
    },
    send: (name: string, data: Record<string, unknown>) => inngest.send({ name, data }),
    async [Symbol.asyncDispose]() {
      await engine?.stop();
      served?.close();
      await database[Symbol.asyncDispose]();
    },
  };
}
