import { randomUUID } from "node:crypto";
import { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Inngest } from "inngest";
import { serve } from "inngest/edge";
import { until } from "../until.js";
import { probeFunctions } from "./functions.js";
import { interceptCheckpoints } from "./intercept-checkpoints.js";
import type { Note } from "./note.js";

/** The probe's id as an app of the server. */
export const probeId = "countersign-probe";

/** An event as a test sends it. Any of its fields may be invalid. */
export type SentEvent = { name: string } & Record<string, unknown>;

/** What a request to the probe asked for. */
export interface Asked {
  runId: string;
  /** The parsed body. */
  body: { ctx: Record<string, unknown>; steps: Record<string, unknown>; event: Record<string, unknown> };
}

export interface ProbeOptions {
  engineUrl: string;
  patienceMs: number;
  /** The address of this machine at which the server reaches the probe. @default "127.0.0.1" */
  host?: string;
  port?: number;
}

export type Probe = Awaited<ReturnType<typeof serveProbe>>;

const silent = { info() {}, warn() {}, error() {}, debug() {} };

/** Keeps idle connections for longer than clients do, so that no request meets a connection that is being closed. */
function keepConnections(server: object): void {
  if (server instanceof Server) server.keepAliveTimeout = 120_000;
}

/** An app whose functions only look at what the server does to data and order. They note it here, by the key of each run. */
export async function serveProbe({ engineUrl, patienceMs, host = "127.0.0.1", port = 0 }: ProbeOptions) {
  const signingKey = process.env.INNGEST_SIGNING_KEY;
  const notes = new Map<string, unknown[]>();
  const asked: Asked[] = [];
  const note: Note = (key, name, value) => {
    const at = `${String(key)} ${name}`;
    notes.set(at, [...(notes.get(at) ?? []), value]);
  };
  const inngest = new Inngest({
    id: probeId,
    isDev: !signingKey || Boolean(process.env.INNGEST_DEV),
    baseUrl: engineUrl,
    fetch: interceptCheckpoints(note),
    logger: silent,
  });
  const handle = serve({ client: inngest, functions: probeFunctions(inngest, note) });
  const server = createAdaptorServer({
    async fetch(request) {
      if (request.method === "POST") {
        const body = JSON.parse(await request.clone().text()) as Asked["body"];
        asked.push({ runId: String(body.ctx.run_id), body });
      }
      return handle(request);
    },
  });
  keepConnections(server);
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const url = `http://${host}:${(server.address() as AddressInfo).port}/api/inngest`;
  const registered = await fetch(url, { method: "PUT" });
  if (!registered.ok) throw new Error(`The probe could not register: ${await registered.text()}`);

  const post = async (path: string, body: unknown) => {
    const response = await fetch(new URL(path, engineUrl), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(signingKey ? { authorization: `Bearer ${signingKey}` } : {}),
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    return { status: response.status, body: await response.text() };
  };

  const probe = {
    post,
    /** Sends events, of which each may be invalid, or text that is no JSON. */
    send: (events: SentEvent | SentEvent[] | string) =>
      post(`/e/${process.env.INNGEST_EVENT_KEY ?? "conformance"}`, events),
    /** Starts a function of the probe. Returns the key of its notes. */
    async start(id: string, data: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
      const key = randomUUID();
      const { status, body } = await probe.send({
        name: `conformance/${id}`,
        data: { ...data, key },
        ...more,
      });
      if (status !== 200) throw new Error(`The server answered an event with ${status}: ${body}`);
      return key;
    },
    notesOf: (key: string, name: string): unknown[] => notes.get(`${key} ${name}`) ?? [],
    /** The last note of this name, once there are as many. */
    noted: (key: string, name: string, count = 1): Promise<unknown> =>
      until(
        async () => {
          const found = probe.notesOf(key, name);
          return found.length >= count ? { last: found.at(-1) } : undefined;
        },
        { what: `the probe's function notes "${name}" ${count} times`, patienceMs },
      ).then(({ last }) => last),
    /** The requests of the run that noted its id under this key. */
    async requestsOf(key: string): Promise<Asked[]> {
      const runId = await probe.noted(key, "run");
      return asked.filter((request) => request.runId === runId);
    },
    async cancel(key: string) {
      const headers = signingKey ? { authorization: `Bearer ${signingKey}` } : {};
      const runId = String(await probe.noted(key, "run"));
      const response = await fetch(new URL(`/v1/runs/${runId}`, engineUrl), { method: "DELETE", headers });
      if (!response.ok) throw new Error(`The server answered DELETE /v1/runs/{id} with ${response.status}`);
    },
    until: <T>(what: string, look: () => Promise<T | undefined>) => until(look, { what, patienceMs }),
    async [Symbol.asyncDispose]() {
      if ("closeAllConnections" in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return probe;
}
