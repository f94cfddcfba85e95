import { z } from "zod";
import type { Journal } from "../journal.js";
import type { Random } from "../random.js";
import { eventFatesOf, type Fate, fatesOf } from "../scenario/faults.js";
import type { Member } from "./fleet.js";
import { type Answer, type Message, openLink } from "./proxy.js";
import type { Server } from "./server.js";

/** What the journal counts wake-ups as that were lost though whoever sent them was told that they had arrived. */
export const lostWakeUps = "wake-ups lost unnoticed";

export interface Links {
  /** Where apps and APIs find the engine. */
  engine: Server;
  /** Where the engine finds the apps. */
  app: Server;
  /** Where people find the API. */
  api: Server;
  /** Where the engine finds the model. */
  model: Server;
  close(): void;
}

export interface LinksOptions {
  journal: Journal;
  random: Random;
  drill: boolean;
  members: readonly Member[];
  modelUrl: string;
  /** False once everything heals. */
  troubled: () => boolean;
  /** Told of each call that the product says is waiting. */
  onPending: (approvalId: string) => void;
}

/** Every way between two parts of the installation leads through here. */
export async function openLinks(options: LinksOptions): Promise<Links> {
  const { journal, random, drill, members, troubled } = options;
  const fates = (name: string, trouble: number) => {
    const next = fatesOf(random, name, trouble);
    return (): Fate => (troubled() ? next() : { kind: "deliver" });
  };
  const oneOf = (role: Member["role"]) => {
    const choice = random.of("choice", role);
    return () => {
      const draw = choice.next();
      const up = members.filter((member) => member.role === role && member.port !== undefined);
      return up[Math.floor(draw * up.length)]?.port;
    };
  };
  const waits = createWaitWatch(options);
  const [eventFate, engineFate] = [eventFatesOf(random, drill), fates("engine", 1)];
  const toEngine = (message: Message): Fate => {
    if (!troubled()) return { kind: "deliver" };
    if (!isOwnNews(message)) return engineFate();
    const fate = eventFate();
    if (fate.kind === "swallow" && isWakeUp(message)) journal.count(lostWakeUps);
    return fate;
  };
  const modelPort = Number(new URL(options.modelUrl).port);
  const [engine, app, api, model] = await Promise.all([
    openLink({
      name: "to the engine",
      journal,
      fate: toEngine,
      target: oneOf("engine"),
      onRequest: (message) => hurryRelay(waits.onEvents(message)),
    }),
    openLink({
      name: "to the app",
      journal,
      fate: fates("app", 1),
      target: oneOf("app"),
      // Each failure counts as an attempt, after a few of which an engine waits for minutes.
      holdMs: 20_000,
      answersLoss: true,
      onAnswer: (message, answer) => askToHurry(waits.onOpcodes(message, answer)),
    }),
    openLink({ name: "to the API", journal, fate: fates("api", 1), target: oneOf("api") }),
    openLink({
      name: "to the model",
      journal,
      fate: onlyLate(fates("model", 1)),
      target: () => modelPort,
    }),
  ]);
  const all = { engine, app, api, model };
  return {
    ...all,
    close() {
      for (const server of Object.values(all)) server.close();
    },
  };
}

/** Requests to the model are late or repeated, and never lost: providers are not what is tested. */
function onlyLate(fate: () => Fate): () => Fate {
  return () => {
    const next = fate();
    return next.kind === "delay" || next.kind === "twice" ? next : { kind: "deliver" };
  };
}

/** The relay comes every few seconds instead of every minute, so that a short run sees it often. */
function hurryRelay(message: Message): Message {
  if (message.path.split("?")[0] !== "/fn/register") return message;
  const body = message.body.toString().replaceAll('"* * * * *"', '"*/3 * * * * *"');
  return { ...message, body: Buffer.from(body) };
}

/** An engine backs off for minutes; an app may ask it to come back sooner. */
function askToHurry(answer: Answer): Answer {
  if (answer.status === 200) return answer;
  return { ...answer, headers: { ...answer.headers, "retry-after": "1" } };
}

const events = z.array(z.object({ name: z.string(), data: z.record(z.string(), z.unknown()) }));
const opcodes = z.array(
  z.object({ op: z.string(), opts: z.object({ if: z.string().optional() }).loose().optional() }),
);

/** Whether these are events that the product itself sends: wake-ups, and news for whoever listens. */
function isOwnNews(message: Message): boolean {
  const sent = eventsOf(message);
  return sent.length > 0 && sent.every(({ name }) => name.startsWith("countersign/"));
}

function isWakeUp(message: Message): boolean {
  return eventsOf(message).some(({ name }) => name === "countersign/request.wake-up");
}

function eventsOf(message: Message): z.infer<typeof events> {
  if (!message.path.startsWith("/e/")) return [];
  return events.safeParse(parse(message.body)).data ?? [];
}

/**
 * Looks, on the wire, that nobody is told of a call before its run has told the engine to wait (I4): the wait comes in
 * an app's answer, the news in an event.
 */
function createWaitWatch({ journal, onPending }: LinksOptions) {
  const conditions = new Set<string>();
  const isAwaited = (requestId: string) =>
    [...conditions].some((condition) => condition.includes(JSON.stringify(requestId)));
  return {
    onOpcodes(message: Message, answer: Answer): Answer {
      if (answer.status !== 206 || message.method !== "POST") return answer;
      const parsed = opcodes.safeParse(parse(answer.body));
      for (const { op, opts } of parsed.data ?? []) {
        if (op === "WaitForEvent" && opts?.if) conditions.add(opts.if);
      }
      return answer;
    },
    onEvents(message: Message): Message {
      for (const { name, data } of eventsOf(message)) {
        if (name !== "countersign/approval.pending") continue;
        const [approvalId, requestId] = [String(data.approvalId), String(data.requestId)];
        if (!isAwaited(requestId)) {
          journal.violate({
            name: "announced-before-the-wait",
            invariant: "I4",
            message: `${approvalId} was announced before its run waited for ${requestId}`,
            approvalId,
          });
        }
        onPending(approvalId);
      }
      return message;
    },
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
