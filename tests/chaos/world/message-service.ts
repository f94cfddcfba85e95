import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { judgeMessage, judgeOnlySender } from "../check/messages-live.js";
import type { Journal } from "../journal.js";
import type { Random } from "../random.js";
import { rowsIfReachable } from "../rows-if-reachable.js";
import { type MessageFate, messageFatesOf } from "../scenario/message-fates.js";
import { type Answer, handle, keyOf, type ServiceRequest } from "./message-routes.js";
import type { Server } from "./server.js";

export interface MessageServiceOptions {
  journal: Journal;
  random: Random;
  drill: boolean;
  /** A superuser's connections. */
  sql: postgres.Sql;
  /** False once everything heals. */
  troubled: () => boolean;
  /** Makes the product send the same message again. */
  repeatEvent(deliveryId: string): Promise<void>;
}

/** How the service behaves while it is down. */
export type Downtime = "refuses" | "is silent";

export interface MessageService extends Server {
  goDown(how: Downtime, ms: number): void;
}

/** The message service. It is part of the driver and so never killed: its messages are what people really see. */
export function openMessageService(options: MessageServiceOptions): Promise<MessageService> {
  const { journal, random, drill, troubled } = options;
  const fates = {
    board: messageFatesOf(random, "board", drill),
    feed: messageFatesOf(random, "feed", drill),
  };
  const down: { until: number; how: Downtime } = { until: 0, how: "refuses" };
  const sending = new Map<string, ServerResponse>();
  const server = createServer((incoming, outgoing) => {
    carry(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function carry(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    if (Date.now() < down.until && troubled()) {
      journal.count(`channels: down (${down.how})`);
      if (down.how === "is silent") await leaveUnanswered(request, outgoing);
      outgoing.destroy();
      return;
    }
    const key = keyOf(request);
    if (key !== undefined) {
      if (isWaiting(sending.get(key))) judgeOnlySender(journal, request.card?.approvalId);
      sending.set(key, outgoing);
    }
    const fate: MessageFate = troubled()
      ? fates[request.channel]()
      : { kind: "answer", beforeMs: 0, afterMs: 0 };
    reply(outgoing, await carryOut(request, fate, key));
    if (key !== undefined && sending.get(key) === outgoing) sending.delete(key);
  }

  async function leaveUnanswered({ card }: ServiceRequest, outgoing: ServerResponse): Promise<void> {
    if (card) await judgeMessage(options.sql, journal, card);
    while (Date.now() < down.until && troubled() && !isGone(outgoing)) await sleep(50);
    if (card && !card.open) journal.held.push({ approvalId: card.approvalId, to: Date.now() });
  }

  /** The answer; `undefined` if the connection breaks instead. */
  async function carryOut(
    request: ServiceRequest,
    fate: MessageFate,
    key: string | undefined,
  ): Promise<Answer | undefined> {
    if (fate.kind !== "answer") journal.count(`channels: ${fate.kind}`);
    if (fate.kind === "too many") return { status: 429 };
    if (fate.kind === "fail") return { status: 500 };
    if (fate.kind === "answer") await sleep(fate.beforeMs);
    if (fate.kind === "hold" && key !== undefined)
      await atMost(fate.ms, hold(options, request, key, fate.ms));
    if (request.card) await atMost(judgedMs, judgeMessage(options.sql, journal, request.card));
    const answer = handle(journal, request);
    if (fate.kind === "answer") await sleep(fate.afterMs);
    if (fate.kind === "hang up after it") return undefined;
    return fate.kind === "fail after it" ? { status: 500 } : answer;
  }

  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      resolve({
        url: `http://127.0.0.1:${port}`,
        goDown(how, ms) {
          Object.assign(down, { how, until: Date.now() + ms });
        },
        close() {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}

/** Milliseconds for which a message waits for the check of what it says. */
const judgedMs = 2000;

/** How often the product is asked again to send a message that is held. */
const repeats = 3;
/** Milliseconds for which a message is still held after the decision, so that the product learns of the end meanwhile. */
const afterEndMs = 1500;

/** Holds a message until people have decided about its call. */
async function hold(
  { sql, troubled, repeatEvent }: MessageServiceOptions,
  { card }: ServiceRequest,
  deliveryId: string,
  ms: number,
): Promise<void> {
  const until = Date.now() + ms;
  let asked = 0;
  let closedAt: number | undefined;
  while (Date.now() < until && troubled()) {
    if (asked < repeats) {
      asked++;
      await repeatEvent(deliveryId);
    }
    await sleep(300);
    const [row] = await rowsIfReachable(sql`
      select status from countersign.approvals where id = ${card?.approvalId ?? ""}`);
    if (row && row.status !== "pending") closedAt ??= Date.now();
    if (closedAt !== undefined && Date.now() > closedAt + afterEndMs) return;
  }
}

/**
 * Waits for work, but no longer than a time. A database that is stopped must not delay a message until its sender has given
 * up: the sender would find no message, and send another.
 */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, sleep(ms)]);
}

async function readRequest(incoming: IncomingMessage): Promise<ServiceRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const url = new URL(incoming.url ?? "/", "http://service");
  const text = Buffer.concat(chunks).toString();
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  const channel = url.pathname.startsWith("/feed") ? "feed" : "board";
  const card = (body as Pick<ServiceRequest, "card"> | undefined)?.card;
  return { method: incoming.method ?? "GET", url, channel, body, card };
}

function isGone(outgoing: ServerResponse): boolean {
  return outgoing.destroyed || outgoing.closed || outgoing.socket?.destroyed === true;
}

/** True while the sender of the request still waits for the answer. */
function isWaiting(outgoing: ServerResponse | undefined): boolean {
  return outgoing !== undefined && !outgoing.writableEnded && !isGone(outgoing);
}

function reply(outgoing: ServerResponse, answer: Answer | undefined): void {
  if (isGone(outgoing)) return;
  if (answer === undefined) {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(answer.status, { "content-type": "application/json", "retry-after": "1" });
  outgoing.end(JSON.stringify(answer.body ?? {}));
}
