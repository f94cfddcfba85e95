import type { Random } from "../random.js";

/** The fate of one request to the message service. */
export type MessageFate =
  /** Milliseconds until the request is carried out, and from then to the answer; the waiting process may die in between. */
  | { kind: "answer"; beforeMs: number; afterMs: number }
  /** Answers 429 and does nothing. */
  | { kind: "too many" }
  /** Answers 500 and does nothing. */
  | { kind: "fail" }
  /** Carries the request out and answers 500. */
  | { kind: "fail after it" }
  /** Carries the request out and breaks the connection instead of answering. */
  | { kind: "hang up after it" }
  /** Holds the request until people have decided about the call, or for some seconds; its event is repeated meanwhile. */
  | { kind: "hold"; ms: number };

/** The longest answer time of the service, far below the product's timeout of an attempt. */
const longestMs = 8_000;

/** The fates of requests to one part of the service, in the order in which they come. */
export function messageFatesOf(random: Random, part: string, drill: boolean): () => MessageFate {
  const own = random.of("messages", part);
  const held = drill ? 0.4 : 0.06;
  return () => {
    // Each fate takes the same number of draws, so that one fate does not shift all later ones.
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
