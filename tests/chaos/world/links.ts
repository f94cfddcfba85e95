import { z } from "zod";
import type { Journal } from "../journal.js";
import type { Random } from "../random.js";
import { eventFatesOf, type Fate, fatesOf } from "../scenario/faults.js";
import { isUndo } from "../scenario/tools.js";
import type { Member } from "./fleet.js";
import { type Answer, type Message, openLink } from "./proxy.js";
import type { Server } from "./server.js";

/** The journal's counter of wake-ups that were lost although their sender was told that they had arrived. */
const lostWakeUps = "wake-ups lost unnoticed";
/** The journal's counter of requests that lose every wake-up during the faults, as some do in a drill. */
export const unwokenRequests = "requests that lost each wake-up";

/** The journal's counter of requests that an app has carried out. */
export const answersOfApps = "answers of apps";

export interface Links {
  /** The engine's address for apps and APIs. */
  engine: Server;
  /** The apps' address for the engine. */
  app: Server;
  /** The API's address for people. */
  api: Server;
  /** The model's address for the engine. */
  model: Server;
  /** Cuts the engine off from all other parts for this long. */
  cutOffEngine(ms: number): void;
  close(): void;
}

export interface LinksOptions {
  journal: Journal;
  random: Random;
  drill: boolean;
  members: readonly Member[];
  /** An engine that is not a process of the fleet. */
  engineUrl: string | undefined;
  modelUrl: string;
  /** False once everything heals. */
  troubled: () => boolean;
  /** Called for each call that the product announces as waiting. */
  onPending: (approvalId: string) => void;
}

/** The proxies between all parts of the installation. */
export async function openLinks(options: LinksOptions): Promise<Links> {
  const { journal, random, drill, members, engineUrl, troubled } = options;
  let cutOffUntil = 0;
  const reachable = (target: () => string | undefined) => () =>
    Date.now() < cutOffUntil ? undefined : target();
  const fates = (name: string, trouble: number) => {
    const next = fatesOf(random, name, trouble);
    return (): Fate => (troubled() ? next() : { kind: "deliver" });
  };
  const oneOf = (role: Member["role"]) => {
    const choice = random.of("choice", role);
    return () => {
      const draw = choice.next();
      const up = members.filter((member) => member.role === role && member.port !== undefined);
      const port = up[Math.floor(draw * up.length)]?.port;
      return port === undefined ? undefined : `http://127.0.0.1:${port}`;
    };
  };
  const waits = createWaitWatch(options);
  const [eventFate, engineFate] = [eventFatesOf(random, drill), fates("engine", 1)];
  const requests: string[] = [];
  /** In a drill, every second one of the first eight requests with a wake-up. */
  const isUnwoken = (event: Event) => {
    if (!drill || !troubled() || !isWakeUp(event)) return false;
    const requestId = String(event.data.requestId);
    const isNew = !requests.includes(requestId);
    if (isNew) requests.push(requestId);
    const place = requests.indexOf(requestId);
    const unwoken = place < 8 && place % 2 === 0;
    if (isNew && unwoken) journal.count(unwokenRequests);
    return unwoken;
  };
  const withoutUnwoken = (message: Message): Message => {
    const sent = eventsOf(message);
    const others = sent.filter((event) => !isUnwoken(event));
    if (others.length === 0 || others.length === sent.length) return message;
    return { ...message, body: Buffer.from(JSON.stringify(others)) };
  };
  const toEngine = (message: Message): Fate => {
    // A drill has no canary: a missed canary wakes every run, which would hide that a run's own wake-up was lost.
    if (drill && isOfCanary(message)) return { kind: "swallow" };
    if (!troubled()) return { kind: "deliver" };
    if (!isOwnNews(message)) return engineFate();
    const sent = eventsOf(message);
    const fate: Fate = sent.some(isUnwoken) ? { kind: "swallow" } : eventFate();
    if (fate.kind === "swallow") journal.count(lostWakeUps, sent.filter(isWakeUp).length);
    return fate;
  };
  const appFate = fates("app", 1);
  let undoRequests = 0;
  const toApp = (message: Message): Fate => {
    const fate = appFate();
    if (!drill || !troubled() || !isOfUndo(message)) return fate;
    undoRequests += 1;
    // A short run has few undos, and some of them must run once more than the engine knows.
    return undoRequests % 2 === 0 ? { kind: "drop the answer" } : fate;
  };
  const [engine, app, api, model] = await Promise.all([
    openLink({
      name: "to the engine",
      journal,
      fate: toEngine,
      target: reachable(engineUrl === undefined ? oneOf("engine") : () => engineUrl),
      onRequest: (message) => withoutUnwoken(waits.onEvents(message)),
    }),
    openLink({
      name: "to the app",
      journal,
      fate: toApp,
      target: reachable(oneOf("app")),
      // Each failure counts as an attempt, and an engine waits for minutes after a few of them.
      holdMs: 20_000,
      answersLoss: true,
      onAnswer(message, answer) {
        if (answer.status < 300) journal.count(answersOfApps);
        return askToHurry(waits.onOpcodes(message, answer));
      },
    }),
    openLink({ name: "to the API", journal, fate: fates("api", 1), target: oneOf("api") }),
    openLink({
      name: "to the model",
      journal,
      fate: onlyLate(fates("model", 1)),
      target: () => options.modelUrl,
    }),
  ]);
  const all = { engine, app, api, model };
  return {
    ...all,
    cutOffEngine(ms) {
      cutOffUntil = Date.now() + ms;
    },
    close() {
      for (const server of Object.values(all)) server.close();
    },
  };
}

/** Requests to the model are delayed or repeated, and never lost: chaos does not test providers. */
function onlyLate(fate: () => Fate): () => Fate {
  return () => {
    const next = fate();
    return next.kind === "delay" || next.kind === "twice" ? next : { kind: "deliver" };
  };
}

/** An engine backs off for minutes, but an app can ask it to retry sooner. */
function askToHurry(answer: Answer): Answer {
  if (answer.status === 200) return answer;
  return { ...answer, headers: { ...answer.headers, "retry-after": "1" } };
}

const events = z.array(z.looseObject({ name: z.string(), data: z.record(z.string(), z.unknown()) }));
type Event = z.infer<typeof events>[number];
const opcodes = z.array(
  z.object({ op: z.string(), opts: z.object({ if: z.string().optional() }).loose().optional() }),
);

/** True for events that the product itself sends: wake-ups, and public events. */
function isOwnNews(message: Message): boolean {
  const sent = eventsOf(message);
  return sent.length > 0 && sent.every(({ name }) => name.startsWith("countersign/"));
}

function isWakeUp({ name }: Event): boolean {
  return name === "countersign/request.wake-up";
}

function isOfCanary(message: Message): boolean {
  return eventsOf(message).some(({ name }) => name.startsWith("countersign/canary."));
}

/** True for a request in which the engine has an app go on with an undo. */
function isOfUndo({ method, path }: Message): boolean {
  return method === "POST" && /[?&]fnId=[^&]*-countersign-undo(&|$)/.test(path);
}

function eventsOf(message: Message): Event[] {
  if (!message.path.startsWith("/e/")) return [];
  return events.safeParse(parse(message.body)).data ?? [];
}

/**
 * Checks on the wire that no call is announced before its run has told the engine to wait (I4): the wait is in an app's
 * answer, the announcement in an event.
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
        // No run waits for an undo: its own function begins to when somebody has asked for it.
        if (!isUndo(String(data.toolName)) && !isAwaited(requestId)) {
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
