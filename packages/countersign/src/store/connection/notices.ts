/** Milliseconds after which a notice that the database does not answer is no longer waited for. */
const answerMs = 5_000;

/** Milliseconds over which notices are collected while the database is busy with earlier ones. */
const gatherMs = 20;

/** Notices about what was committed, which no transaction waits for. */
export interface Notices {
  /** Called after the commit. The first goes at once, what follows closely goes together. */
  add(payloads: Iterable<string>): void;
  /** Waits until all have been sent. */
  sent(): Promise<void>;
}

/**
 * Sends notices after their commits: Postgres commits transactions that notify one after another, in all databases of a
 * server, and one that writes nothing else commits at once. If the process ends before it has sent one, whoever follows a
 * log finds the change at the next look.
 *
 * @param send Notifies every process. If it fails, nobody is told: whoever looks for changes finds them.
 */
export function createNotices(send: (payloads: string[]) => Promise<unknown>): Notices {
  const waiting = new Set<string>();
  let sending: Promise<void> | undefined;
  let isUnanswered = false;
  const sendWaiting = async () => {
    while (waiting.size > 0) {
      const payloads = [...waiting];
      waiting.clear();
      const overdue = setTimeout(() => {
        isUnanswered = true;
        waiting.clear();
      }, answerMs).unref();
      await send(payloads).catch(() => {});
      clearTimeout(overdue);
      isUnanswered = false;
      await new Promise((resolve) => setTimeout(resolve, gatherMs));
    }
    sending = undefined;
  };
  return {
    add(payloads) {
      // Another one would take another connection, and the database answers none.
      if (isUnanswered) return;
      for (const payload of payloads) waiting.add(payload);
      if (waiting.size > 0) sending ??= sendWaiting();
    },
    sent: async () => sending,
  };
}
