import type { Journal } from "../journal.js";

/** Fewer than this say nothing: each may have been slow for a reason of its own. */
const fewest = 5;

/**
 * No decision waits for a channel (I16): of those whose channels got no answer for some time, some were answered
 * meanwhile. It compares what came first, not how long it took, and so holds on a machine of any speed. That no
 * announcement waits follows from I11, which is judged when a message arrives: it was announced before.
 */
export function judgeWaits(journal: Journal): void {
  const decisions = journal.held.flatMap((held) => {
    const sent = journal.sentFor(held.approvalId).find(({ status, at }) => status === 200 && at < held.to);
    return sent ? [{ ...sent, to: held.to }] : [];
  });
  const meanwhile = decisions.filter(({ answeredAt, to }) => answeredAt !== undefined && answeredAt < to);
  journal.count("channels: decisions whose message was held", decisions.length);
  journal.count("channels: decisions answered before their message", meanwhile.length);
  if (decisions.length < fewest || meanwhile.length > 0) return;
  journal.violate({
    name: "waited-for-a-channel",
    invariant: "I16",
    message: `${decisions.length} decisions led to a message that was held, and none was answered before its end`,
  });
}
