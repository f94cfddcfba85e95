import type { Journal } from "../journal.js";
import type { Rows } from "./rows.js";

/** Fewer than this say nothing. */
const fewest = 10;
/** How much longer than usual something may take while the channels are down, on a machine with other things to do. */
const slackMs = 4000;

/** Nothing waits for a channel (I16): while the channels are down, calls are announced and decisions answered as ever. */
export function judgeWaits(journal: Journal, { approvals }: Rows): void {
  const announcements = approvals.flatMap(({ created_at: from, announced_at: to }) =>
    to === null ? [] : [{ at: from.getTime(), ms: to.getTime() - from.getTime() }],
  );
  const answers = journal.sent.flatMap(({ at, answeredAt }) =>
    answeredAt === undefined ? [] : [{ at, ms: answeredAt - at }],
  );
  for (const [what, waits] of [
    ["announced", announcements],
    ["answered a decision", answers],
  ] as const) {
    const isDuring = (at: number) => journal.outages.some(({ from, to }) => at >= from && at < to);
    const during = waits.filter(({ at }) => isDuring(at)).map(({ ms }) => ms);
    const otherwise = waits.filter(({ at }) => !isDuring(at)).map(({ ms }) => ms);
    journal.count(`channels: ${what} while they were down`, during.length);
    if (during.length < fewest || otherwise.length < fewest) continue;
    if (median(during) <= 2 * median(otherwise) + slackMs) continue;
    journal.violate({
      name: "waited-for-a-channel",
      invariant: "I16",
      message: `While the channels were down, the product ${what} after ${median(during)} ms; otherwise after ${median(otherwise)} ms`,
    });
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
