import { CountersignError } from "@countersign/policy/internal/shared/errors";

/** Less than the 30 seconds after which most callers give up. */
export const defaultWaitTimeoutMs = 20_000;

/**
 * How long transactions wait, in milliseconds, by how long they wait for a connection: the database ends a statement
 * after `statementMs`, and the caller gives up after `transactionMs`.
 */
export function timeLimits(waitTimeoutMs: number) {
  return { statementMs: 2 * waitTimeoutMs, transactionMs: 3 * waitTimeoutMs };
}

/** Work that must not begin once its caller has timed out. */
export interface Expiring {
  /** Called with a connection. Throws if the caller has already timed out: then nothing may happen. */
  begin(): void;
  /** Aborted when the caller times out. */
  expired: AbortSignal;
}

/** The progress of a transaction. */
interface Deadline extends Expiring {
  /** Throws if the caller has already timed out: then nothing may be committed. */
  beforeCommit(): void;
}

/**
 * Runs a transaction with a deadline. Callers cannot distinguish an exhausted pool, a lock that is never released and a
 * network that loses everything, and drivers wait without end. A caller who times out may retry: if a decision was
 * recorded after all, the retry returns it.
 *
 * @throws CountersignError `database_failed` after `waitTimeoutMs` without a connection, or three times that in all.
 * Before that, the database itself ends statements that wait for a lock or run for too long.
 */
export async function withDeadline<T>(
  waitTimeoutMs: number,
  transact: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  let failure: CountersignError | undefined;
  let timer: NodeJS.Timeout | undefined;
  let fail: (error: CountersignError) => void = () => {};
  const over = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  let expired: AbortController | undefined;
  const failAfter = (ms: number, what: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      failure = new CountersignError("database_failed", what);
      fail(failure);
      expired?.abort();
    }, ms);
  };
  const { transactionMs } = timeLimits(waitTimeoutMs);
  const checkDeadline = () => {
    if (failure) throw failure;
  };
  failAfter(
    waitTimeoutMs,
    `No database connection was available within ${waitTimeoutMs} ms, so nothing was done. It is safe to try again. If this continues, the database is down or its connection pool is too small.`,
  );
  const work = transact({
    get expired() {
      expired ??= new AbortController();
      if (failure) expired.abort();
      return expired.signal;
    },
    begin() {
      checkDeadline();
      failAfter(
        transactionMs,
        `The database did not respond within ${transactionMs} ms. It is safe to try again: if the operation succeeded, the retry returns its result.`,
      );
    },
    beforeCommit: checkDeadline,
  });
  // The caller has timed out already; ignore a late rejection.
  work.catch(() => {});
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
