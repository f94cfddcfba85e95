import { judgeBoard } from "../check/messages-live.js";
import type { BoardMessage, Journal } from "../journal.js";
import { type CardView, type ChannelName, members, toBoard, toFeed } from "../scenario/channels.js";

export interface ServiceRequest {
  method: string;
  url: URL;
  channel: ChannelName;
  body: unknown;
  card: CardView | undefined;
}

export interface Answer {
  status: number;
  body?: unknown;
}

/** The subject of a request that sends a message: two with the same subject must not be sent at once. */
export function keyOf({ method, channel, body }: ServiceRequest): string | undefined {
  if (method === "GET") return undefined;
  return channel === "board" ? toBoard.parse(body).deliveryId : toFeed.parse(body).messageId;
}

/** The routes of the service: the board's messages can be found and changed, and the feed only grows. */
export function handle(journal: Journal, { method, url, channel, body }: ServiceRequest): Answer {
  if (channel === "feed") {
    const message = toFeed.parse(body);
    if (journal.feed.some(({ messageId }) => messageId === message.messageId)) {
      journal.count("channels: feed heard the same again");
    }
    journal.feed.push(message);
    journal.count("channels: feed messages");
    return { status: 200 };
  }
  if (url.pathname === "/board/members") {
    return { status: 200, body: { members: members[url.searchParams.get("target") ?? ""] ?? [] } };
  }
  if (method === "GET") {
    const deliveryId = url.searchParams.get("delivery");
    const found = journal.board.find((message) => message.deliveryId === deliveryId);
    return found ? { status: 200, body: referenceOf(found) } : { status: 404 };
  }
  const { card, deliveryId, recipient } = toBoard.parse(body);
  if (method === "POST") {
    judgeBoard.created(journal, recipient, card);
    const message = { id: `message-${journal.board.length}`, deliveryId, recipient, card };
    journal.board.push(message);
    journal.count("channels: board messages");
    return { status: 200, body: referenceOf(message) };
  }
  const message = journal.board.find(({ id }) => url.pathname.endsWith(`/${id}`));
  if (!message) return { status: 404 };
  judgeBoard.changed(journal, message, card);
  message.card = card;
  journal.count("channels: board messages updated");
  return { status: 200, body: referenceOf(message) };
}

function referenceOf({ id, card }: BoardMessage): { id: string; version: number } {
  return { id, version: card.version };
}
