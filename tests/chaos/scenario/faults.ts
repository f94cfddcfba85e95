import type { Random } from "../random.js";
import type { policyFiles } from "./tools.js";

export type Role = "app" | "api" | "engine";

/** A fault at a given time, in milliseconds from the beginning. */
export type Fault = { at: number } & (
  | { kind: "kill"; role: Role; index: number; downMs: number }
  | { kind: "restart Postgres"; mode: "fast" | "immediate"; downMs: number }
  | { kind: "terminate connections" }
  | { kind: "reload policy"; file: keyof typeof policyFiles }
  | { kind: "channels down"; how: "refuses" | "is silent"; downMs: number }
  | { kind: "shift clock"; role: "app" | "api"; index: number; offsetMs: number }
);

export interface FaultOptions {
  durationMs: number;
  apps: number;
  apis: number;
  drill: boolean;
  /** The only crash points, without deaths at random times. */
  points: readonly string[] | undefined;
}

/** The largest shift of a clock. */
const clockMs = 5 * 60_000;

/** Plans the faults and their times. */
export function planFaults(random: Random, options: FaultOptions): Fault[] {
  const { durationMs, apps, apis, drill, points } = options;
  const faults: Fault[] = [];
  const every = (name: string, meanMs: number, make: (random: Random, at: number) => Fault) => {
    const own = random.of("faults", name);
    for (let at = own.int(meanMs / 2, meanMs); at < durationMs; at += own.int(meanMs / 2, meanMs * 1.5)) {
      faults.push(make(own, Math.round(at)));
    }
  };
  const index = (own: Random, role: "app" | "api") => own.int(0, (role === "app" ? apps : apis) - 1);
  if (points === undefined) {
    every("kill app", drill ? 8_000 : 25_000, (own, at) => ({
      at,
      kind: "kill",
      role: "app",
      index: index(own, "app"),
      downMs: own.int(50, 1500),
    }));
  }
  every("clock", drill ? 4_000 : 8_000, (own, at) => {
    const role = own.pick(["app", "app", "api"] as const);
    return { at, kind: "shift clock", role, index: index(own, role), offsetMs: own.int(-clockMs, clockMs) };
  });
  every("terminate", 17_000, (_, at) => ({ at, kind: "terminate connections" }));
  every("channels down", drill ? 6_000 : 20_000, (own, at) => ({
    at,
    kind: "channels down",
    how: own.pick(["refuses", "is silent"] as const),
    downMs: own.int(1000, drill ? 2000 : 7000),
  }));
  let asking = false;
  every("reload policy", drill ? 2_000 : 4_000, (_, at) => {
    asking = !asking;
    return { at, kind: "reload policy", file: asking ? "asking" : "allowing" };
  });
  if (!drill) {
    every("kill api", 35_000, (own, at) => ({
      at,
      kind: "kill",
      role: "api",
      index: index(own, "api"),
      downMs: own.int(50, 1500),
    }));
    every("kill engine", 30_000, (own, at) => ({
      at,
      kind: "kill",
      role: "engine",
      index: 0,
      downMs: own.int(50, 2000),
    }));
    every("postgres", 40_000, (own, at) => ({
      at,
      kind: "restart Postgres",
      mode: own.pick(["fast", "immediate"] as const),
      downMs: own.int(0, 1500),
    }));
  }
  return faults.sort((a, b) => a.at - b.at);
}

/** What the network does to one request. */
export type Fate =
  | { kind: "deliver" }
  /** Forwards the request after `ms`. Later requests may overtake it. */
  | { kind: "delay"; ms: number }
  | { kind: "drop" }
  | { kind: "drop the answer" }
  | { kind: "answer 500" }
  | { kind: "twice"; apartMs: number }
  /** Answers as if the request had arrived. For events only, whose senders then do not retry. */
  | { kind: "swallow" };

/** The fates on one link, in the order in which requests come. */
export function fatesOf(random: Random, link: string, trouble: number): () => Fate {
  const own = random.of("link", link);
  return () => {
    // Each fate takes the same number of draws, so that one fate does not shift all later ones.
    const [choice, amount] = [own.next(), own.next()];
    const of = (share: number) => share * trouble;
    let bound = of(0.08);
    if (choice < bound) return { kind: "delay", ms: Math.round(20 + amount * amount * 1500) };
    bound += of(0.03);
    if (choice < bound) return { kind: "drop" };
    bound += of(0.02);
    if (choice < bound) return { kind: "drop the answer" };
    bound += of(0.02);
    if (choice < bound) return { kind: "answer 500" };
    bound += of(0.04);
    if (choice < bound) return { kind: "twice", apartMs: Math.round(amount * 80) };
    return { kind: "deliver" };
  };
}

/** The fates of the events that the product sends; they are lost more often than anything else, most of all in a drill. */
export function eventFatesOf(random: Random, drill: boolean): () => Fate {
  const [own, others] = [random.of("link", "events"), fatesOf(random, "events", 2)];
  return () => {
    const [swallowed, other] = [own.chance(drill ? 0.35 : 0.15), others()];
    return swallowed ? { kind: "swallow" } : other;
  };
}
