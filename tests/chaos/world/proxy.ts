import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Journal } from "../journal.js";
import type { Fate } from "../scenario/faults.js";
import type { Server } from "./server.js";

/** One message on the wire. */
export interface Message {
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
  body: Buffer;
}

export interface Answer {
  status: number;
  headers: OutgoingHttpHeaders;
  body: Buffer;
}

export interface LinkOptions {
  name: string;
  /** The address of the next request's server; `undefined` while none is up. */
  target: () => string | undefined;
  fate: (message: Message) => Fate;
  journal: Journal;
  /** Milliseconds for which a request waits for a server. @default 0 */
  holdMs?: number;
  /** Answers lost requests with 502 instead of silence, so that the answer can say when to retry. */
  answersLoss?: boolean;
  /** Inspects a request, and may change it, before it is forwarded. */
  onRequest?: (message: Message) => Message;
  /** Inspects an answer, and may change it, before it is returned. */
  onAnswer?: (message: Message, answer: Answer) => Answer;
}

/** A proxy between two parts of the installation, which treats their requests as the seed says. */
export function openLink(options: LinkOptions): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    carry(options, incoming, outgoing).catch(() => outgoing.destroy());
  });
  // Fewer connections break by themselves at random moments; only the seed should break them.
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      resolve({
        url: `http://127.0.0.1:${port}`,
        close() {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}

async function carry(
  options: LinkOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { name, journal, onRequest = (message) => message } = options;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const message = onRequest({
    method: incoming.method ?? "GET",
    path: incoming.url ?? "/",
    headers: incoming.headers,
    body: Buffer.concat(chunks),
  });
  const fate = options.fate(message);
  if (fate.kind !== "deliver") journal.count(`${name}: ${fate.kind}`);
  const lose = () =>
    options.answersLoss
      ? reply(outgoing, read(options, message, gone(502, "Lost")))
      : void outgoing.destroy();
  if (fate.kind === "drop") return lose();
  if (fate.kind === "swallow") return reply(outgoing, json(200, { ids: ["swallowed"], status: 200 }));
  if (fate.kind === "delay") await sleep(fate.ms);
  const again = fate.kind === "twice" ? sleep(fate.apartMs).then(() => deliver(options, message)) : undefined;
  const answer = await deliver(options, message);
  // Both requests have been carried out before either is answered.
  await again;
  if (fate.kind === "drop the answer") return lose();
  const lie = () => read(options, message, gone(500, "It was delivered all the same"));
  reply(outgoing, fate.kind === "answer 500" ? lie() : answer);
}

async function deliver(options: LinkOptions, message: Message): Promise<Answer> {
  const until = Date.now() + (options.holdMs ?? 0);
  let url = options.target();
  while (url === undefined && Date.now() < until) {
    await sleep(50);
    url = options.target();
  }
  const answer = url === undefined ? gone(502, "Nobody is there") : await send(url, message);
  return read(options, message, answer);
}

function read({ onAnswer }: LinkOptions, message: Message, answer: Answer): Answer {
  return onAnswer ? onAnswer(message, answer) : answer;
}

function send(url: string, { method, path, headers, body }: Message): Promise<Answer> {
  return new Promise((resolve) => {
    const { "transfer-encoding": _, connection: __, ...others } = headers;
    const outgoing = request(
      new URL(path, url),
      { method, headers: { ...others, "content-length": body.length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", () => resolve(gone(502, "The answer broke off")));
        response.on("aborted", () => resolve(gone(502, "The answer broke off")));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 502,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    outgoing.on("error", () => resolve(gone(502, "The connection broke")));
    outgoing.end(body);
  });
}

function reply(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  if (outgoing.destroyed) return;
  const { "transfer-encoding": _, connection: __, ...others } = headers;
  outgoing.writeHead(status, { ...others, "content-length": body.length });
  outgoing.end(body);
}

function gone(status: number, words: string): Answer {
  return json(status, { error: words });
}

function json(status: number, body: object): Answer {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}
