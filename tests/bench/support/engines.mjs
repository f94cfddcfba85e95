import { createLocalEngine, systemClock } from "@countersign/local-engine";
import { createAdaptorServer } from "@hono/node-server";

/**
 * What runs the functions of an installation.
 *
 * @typedef {object} Engine
 * @property {string} baseUrl
 * @property {(input: string | URL | Request, init?: RequestInit) => Promise<Response>} fetch
 * @property {(app: (request: Request) => Promise<Response>) => Promise<void>} run registers an app, whose functions it runs from then on
 * @property {() => Promise<void>} idle
 * @property {() => Promise<void>} stop
 */

/**
 * The local engine, in this process.
 *
 * @param {import("postgres").Sql} sql
 * @param {Pick<Console, "warn" | "error">} logger
 * @param {import("@countersign/local-engine").Clock} [clock]
 * @returns {Promise<Engine>}
 */
export async function localEngine(sql, logger, clock = systemClock) {
  const engine = await createLocalEngine({ database: { postgres: sql }, logger, clock });
  return {
    baseUrl: engine.baseUrl,
    fetch: engine.fetch,
    async run(app) {
      await engine.registerApp({ handler: app });
      await engine.start();
    },
    idle: engine.idle,
    stop: engine.stop,
  };
}

/**
 * An Inngest server, which reaches the app on a port of this machine.
 *
 * @param {string} baseUrl
 * @returns {Engine}
 */
export function realServer(baseUrl) {
  /** @type {ReturnType<typeof createAdaptorServer> | undefined} */
  let server;
  return {
    baseUrl,
    fetch,
    async run(app) {
      const listening = createAdaptorServer({ fetch: app, hostname: "127.0.0.1" });
      server = listening;
      await new Promise((resolve) => listening.listen(0, "127.0.0.1", () => resolve(undefined)));
      const address = listening.address();
      const port = typeof address === "object" ? address?.port : undefined;
      const url = `http://127.0.0.1:${port}/api/inngest`;
      const answer = await fetch(url, { method: "PUT" });
      if (!answer.ok) throw new Error(`${baseUrl} does not register ${url}: ${await answer.text()}`);
    },
    idle: () => Promise.reject(new Error("An Inngest server does not tell when it is idle")),
    async stop() {
      server?.close();
    },
  };
}
