import type { Journal } from "../journal.js";

/** Fewer decisions than this prove nothing: each may have been slow for a reason of its own. */
const fewest = 5;

/**
 * Checks that no decision waits for a channel (I16): of the decisions whose channels got no answer for some time, some
 * were answered meanwhile. The check compares the order, not the duration, so it holds on a machine of any speed. That no
 * announcement waits follows from I11, which is judged when a message arrives: the call was announced before.
 */
export function judgeWaits(journal: Journal): void {
  const decisions = journal.held.flatMap((held) => {
    const sent = journal.sentFor(held.approvalId).find(
      // A decision that its person holds is answered at once, and its message follows later.
      ({ status, at, move }) => status === 200 && at < held.to && move.holdMs === 0,
    );
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
