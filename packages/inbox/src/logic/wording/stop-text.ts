import { visibleText } from "@countersign/policy/display";
import type { CallStop } from "../../api/approval.js";
import { words } from "../../words/words.js";

const maxWords = 300;
const maxCounted = 10_000;

/** Who stopped calls, and why. */
export function stopTitle({ engagedBy, reason }: Pick<CallStop, "engagedBy" | "reason">): string {
  return words.stops.stoppedBy(shown(engagedBy), shown(reason));
}

/** What a stop covers. */
export function coveredText(tool: string): string {
  return tool === "*" ? words.stops.allCalls : shown(tool);
}

/** How many of the reader's calls a new stop covers. The server does not count beyond 10,001. */
export function affectedText(count: number): string {
  const { none, some, moreThan, onlyYours } = words.stops.affected;
  const calls = count === 0 ? none : count > maxCounted ? moreThan(maxCounted) : some(count);
  return `${calls} ${onlyYours}`;
}

/** The stops of all lists without duplicates, newest first. */
export function distinctStops(...lists: readonly (readonly (CallStop | null | undefined)[])[]): CallStop[] {
  const byId = new Map<string, CallStop>();
  for (const stop of lists.flat()) if (stop) byId.set(stop.id, stop);
  return [...byId.values()].sort((a, b) => (a.engagedAt < b.engagedAt ? 1 : -1));
}

function shown(text: string): string {
  return visibleText(text, maxWords, words.display);
}
