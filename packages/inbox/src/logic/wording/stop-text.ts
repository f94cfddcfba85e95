import { visibleText } from "countersign/display";
import type { CallStop } from "../../api/approval.js";
import { words } from "../../words/words.js";

const maxWords = 300;

/** Who stopped calls, and why. */
export function stopTitle({ engagedBy, reason }: Pick<CallStop, "engagedBy" | "reason">): string {
  return words.stops.stoppedBy(visibleText(engagedBy, maxWords), visibleText(reason, maxWords));
}

/** The calls that a stop covers. */
export function coveredText(tool: string): string {
  return tool === "*" ? words.stops.allCalls : words.stops.callsOf(visibleText(tool, maxWords));
}

/** How many of the reader's calls a new stop covers. The server does not count beyond 10,001. */
export function affectedText(count: number): string {
  const calls =
    count === 0
      ? "It covers none of the calls that wait for you."
      : count === 1
        ? "It covers 1 call that waits for you."
        : `It covers ${count > 10_000 ? "more than 10,000" : count.toLocaleString("en")} calls that wait for you.`;
  return `${calls} Calls that wait only for others are not counted.`;
}

/** The stops of all lists without duplicates, newest first. */
export function distinctStops(...lists: readonly (readonly (CallStop | null | undefined)[])[]): CallStop[] {
  const byId = new Map<string, CallStop>();
  for (const stop of lists.flat()) if (stop) byId.set(stop.id, stop);
  return [...byId.values()].sort((a, b) => (a.engagedAt < b.engagedAt ? 1 : -1));
}
