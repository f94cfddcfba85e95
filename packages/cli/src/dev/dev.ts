import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { development } from "countersign/internal";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";
import { keepRunning, loaderOf } from "./app-process.js";
import { type DevEvent, parseEvent } from "./dev-event.js";
import { inboxOfProject } from "./project-inbox.js";
import { modelFetch } from "./stand-in-model.js";

export interface DevOptions {
  file: string;
  port: number;
  enginePort: number;
  functions: string;
  as: string;
  tenant?: string;
  send?: string;
}

/** Attempts to sync the functions of an app that has just begun to listen, and the milliseconds between them. */
const syncAttempts = 20;
const syncMs = 250;

/** `dev`: a local engine in this process, and the app with its inbox in another, until the terminal ends it. */
export async function dev(options: DevOptions, io: CliIo): Promise<ExitCode> {
  const { file, port, enginePort, functions } = options;
  if (!existsSync(file)) throw new UsageError(`${file}: this file does not exist`);
  const toSend = options.send === undefined ? undefined : parseEvent(options.send);
  const inbox = inboxOfProject(file);
  const loader = loaderOf(resolve(file));
  const log = (line: string) => io.out(`countersign: ${line}\n`);
  const engine = await openEngine(() =>
    log("No key for the model: a stand-in answers, which calls the tool that your message names."),
  );
  const url = `http://127.0.0.1:${enginePort}`;
  const server = createAdaptorServer({ fetch: (request) => engine.fetch(request) });
  server.listen(enginePort, "127.0.0.1");
  await once(server, "listening").catch((error: unknown) => {
    if (Reflect.get(Object(error), "code") !== "EADDRINUSE") throw error;
    throw new UsageError(`port ${enginePort} is taken; choose another with --engine-port`);
  });
  const send = async ({ name, data }: DevEvent) => {
    const response = await engine.fetch(`${url}/e/dev`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name, data }),
    });
    log(response.ok ? `Sent ${name}.` : `${name} was refused: ${await response.text()}`);
  };
  let isReady = false;
  const sync = async (appPort: number) => {
    const origin = `http://127.0.0.1:${appPort}`;
    for (let attempt = 1; ; attempt++) {
      try {
        await engine.syncApp(`${origin}${functions}`);
        break;
      } catch (error) {
        if (attempt < syncAttempts) await pause(syncMs);
        else {
          log(
            `${origin}${functions} serves no Inngest functions (${String(error)}). Name their path with --functions.`,
          );
          return;
        }
      }
    }
    log(`App        ${origin}, its functions at ${functions}`);
    if (isReady) return;
    isReady = true;
    // Only now, because work of an earlier start may be due for this app.
    await engine.start();
    log(`Engine     ${url}`);
    if (toSend) await send(toSend);
    else log('Type an event to send it: chat/asked {"message": "Hello"}');
  };
  const app = keepRunning({
    loader,
    settings: { file: resolve(file), inbox, inboxPort: port, id: options.as, tenantId: options.tenant },
    environment: { NODE_ENV: "development", INNGEST_DEV: url },
    log,
    onMessage: (message) => {
      if ("inbox" in message) {
        log(`Inbox      http://127.0.0.1:${port}, where "${options.as}" may decide every call`);
      } else void sync(message.listening);
    },
  });
  const typed = createInterface({ input: process.stdin });
  typed.on("line", (line) => {
    if (line.trim() === "") return;
    try {
      void send(parseEvent(line));
    } catch (error) {
      log(error instanceof Error ? error.message : String(error));
    }
  });
  await Promise.race(["SIGINT", "SIGTERM"].map((signal) => once(process, signal)));
  typed.close();
  await app.stop();
  server.close();
  await engine.close();
  return exitCodes.ok;
}

/** @throws UsageError if the packages for it are not installed. */
async function openEngine(onStandIn: () => void) {
  const needed = [import("@countersign/local-engine"), import("@electric-sql/pglite")] as const;
  const [{ createLocalEngine }, { PGlite }] = await Promise.all(needed).catch((error: unknown) => {
    if (Reflect.get(Object(error), "code") !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new UsageError(
      "dev needs more packages: npm install --save-dev @countersign/testing @electric-sql/pglite",
    );
  });
  const folder = resolve(development.folder);
  await development.takeFolder(folder, "engine-process");
  const dataDir = join(folder, "engine");
  mkdirSync(dataDir, { recursive: true });
  const pglite = new PGlite(dataDir);
  const engine = await createLocalEngine({
    database: { pglite },
    modelFetch: await modelFetch(onStandIn),
    logger: {
      // The app syncs when it listens.
      warn: (message) => String(message).startsWith("The stored app ") || console.warn(message),
      error: console.error,
    },
  });
  return Object.assign(engine, {
    async close() {
      await engine.stop();
      await pglite.close();
    },
  });
}
