import type { Channel } from "countersign";
import type { ChannelGate, Delivery, Sent } from "countersign/types";
import { z } from "zod";
import { type CardView, press, signatureHeader, signatureOf } from "../scenario/channels.js";
import { memberOf } from "../scenario/people.js";
import { setting } from "./serve.js";

const message = z.object({ id: z.string(), version: z.int() });
const directory = z.object({ members: z.array(z.string()) });

/** The channels of the message service, which is sometimes down, slow or unclear. */
export function chaosChannels(): Channel[] {
  return [board(), feed()];
}

/** A channel like Slack: messages can be changed, and found again if the answer to the first attempt was lost. */
function board(): Channel {
  return {
    name: "board",
    mode: "card",
    retryDelayMs,
    async recipients(target) {
      const response = await ask("GET", `/board/members?target=${target}`);
      const { members } = directory.parse(response.body);
      return members.map((id) => ({ id, label: id }));
    },
    async send(delivery, signal) {
      const { id: deliveryId, recipient, card } = delivery;
      const shown = message.safeParse(delivery.reference).data ?? (await earlier(delivery, signal));
      if (shown && shown.version > card.version) return { ok: true, reference: shown };
      const body = { deliveryId, recipient: recipient.id, card: viewOf(delivery) };
      const answer = shown
        ? await ask("PUT", `/board/messages/${shown.id}`, body, signal)
        : await ask("POST", "/board/messages", body, signal);
      return sent(answer, () => message.parse(answer.body));
    },
    receive,
  };
}

/** The message of an earlier attempt, if there is one. */
async function earlier({ id, attempts }: Delivery, signal: AbortSignal) {
  if (attempts === 0) return undefined;
  const { status, body } = await ask("GET", `/board/messages?delivery=${id}`, undefined, signal);
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`The board answered ${status}`);
  return message.parse(body);
}

/** A channel like a webhook: each delivery is a new message. */
function feed(): Channel {
  return {
    name: "feed",
    mode: "events",
    retryDelayMs,
    recipients: () => [{ id: "feed", label: "feed" }],
    async send(delivery, signal) {
      const { messageId, event } = delivery;
      const answer = await ask("POST", "/feed", { messageId, event, card: viewOf(delivery) }, signal);
      return sent(answer, () => null);
    },
  };
}

/** Retries after seconds where the product takes hours, and without end. */
function retryDelayMs(failures: number): number {
  return Math.min(500 * 2 ** (failures - 1), 4000);
}

/** The result of an answer. After 500 the message may exist, which the product must know. */
function sent({ status }: Answer, reference: () => { id: string; version: number } | null): Sent {
  if (status === 200) return { ok: true, reference: reference() };
  if (status === 429) return { ok: false, error: "The service has too much to do", retryAfterMs: 1000 };
  throw new Error(`The service answered ${status}`);
}

function viewOf({ card }: Delivery): CardView {
  const { approvalId, version, status, open, digest, decisions } = card;
  return { approvalId, version, status, open, digest, decisions: [...decisions] };
}

interface Answer {
  status: number;
  body: unknown;
}

async function ask(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Answer> {
  const response = await fetch(`${setting("MESSAGES_URL")}${path}`, {
    method,
    ...(signal ? { signal } : {}),
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: await response.json() };
}

/** Reads a press of a button at the board. Only the board knows the secret, and it names the person who pressed. */
async function receive(request: Request, gate: ChannelGate): Promise<Response> {
  const body = await request.text();
  if (request.headers.get(signatureHeader) !== signatureOf(body, setting("BOARD_SECRET"))) {
    return new Response(null, { status: 401 });
  }
  const { member, approvalId, digest, decision, reason } = press.parse(JSON.parse(body));
  const principal = memberOf(member);
  if (!principal) return Response.json({ code: "unknown_member" }, { status: 403 });
  const input = { principal, approvalId, digest, decision, ...(reason === undefined ? {} : { reason }) };
  const result = await gate.decide(input);
  const status = result.card?.status ?? null;
  return result.ok
    ? Response.json({ status })
    : Response.json({ code: result.code, status }, { status: 409 });
}
