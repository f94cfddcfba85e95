import type { Random } from "../random.js";

/** What becomes of one request to the message service. */
export type MessageFate =
  /** Milliseconds until it is done, and from then until the answer, in which the process that waits may die. */
  | { kind: "answer"; beforeMs: number; afterMs: number }
  /** 429, and nothing is done. */
  | { kind: "too many" }
  /** 500, and nothing is done. */
  | { kind: "fail" }
  /** Done, and answered with 500. */
  | { kind: "fail after it" }
  /** Done, and the connection breaks instead of an answer. */
  | { kind: "hang up after it" }
  /** Held until people have decided about the call, or for some seconds; its event is repeated meanwhile. */
  | { kind: "hold"; ms: number };

/** The longest that the service takes, far below the time that the product gives an attempt. */
const longestMs = 8_000;

/** The fates of requests to one part of the service, in the order in which they come. */
export function messageFatesOf(random: Random, part: string, drill: boolean): () => MessageFate {
  const own = random.of("messages", part);
  const held = drill ? 0.4 : 0.06;
  return () => {
    // The same number of draws each time, so that one fate does not move all that follow.
    const [choice, amount] = [own.next(), own.next()];
    let bound = held;
    if (choice < bound) return { kind: "hold", ms: Math.round(longestMs * (0.3 + 0.7 * amount)) };
    bound += 0.05;
    if (choice < bound) return { kind: "too many" };
    bound += 0.05;
    if (choice < bound) return { kind: "fail" };
    bound += 0.05;
    if (choice < bound) return { kind: "fail after it" };
    bound += 0.05;
    if (choice < bound) return { kind: "hang up after it" };
    bound += 0.08;
    if (choice < bound) return { kind: "answer", beforeMs: 0, afterMs: Math.round(amount * 2500) };
    bound += 0.08;
    if (choice < bound) return { kind: "answer", beforeMs: Math.round(amount * 2500), afterMs: 0 };
    return { kind: "answer", beforeMs: 0, afterMs: Math.round(amount * 40) };
  };
}
