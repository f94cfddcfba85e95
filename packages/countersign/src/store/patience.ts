import { CountersignError } from "../errors.js";

/** Where a transaction has got to. */
interface Patience {
  /** A connection is there. Throws where the caller has been told that there was none: then nothing may happen. */
  begin(): void;
  /** Throws where the caller has been told that there was no answer: what was not committed then must not be. */
  beforeCommit(): void;
}

/**
 * Runs a transaction that nobody waits for without end. A pool whose connections are all taken, a lock that is not
 * given back and a network that swallows everything look the same to whoever waits; drivers wait on. Whoever is told
 * that it took too long may try again: a decision that was recorded all the same is answered as it was made.
 *
 * @throws CountersignError `database_failed` after `patienceMs` without a connection, or three times that in all: the
 * database itself ends what waits for a lock or runs for too long before that.
 */
export async function withPatience<T>(
  patienceMs: number,
  transact: (patience: Patience) => Promise<T>,
): Promise<T> {
  let gaveUp: CountersignError | undefined;
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (error: CountersignError) => void = () => {};
  const over = new Promise<never>((_resolve, reject) => {
    giveUp = reject;
  });
  const giveUpAfter = (ms: number, what: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      gaveUp = new CountersignError("database_failed", what);
      giveUp(gaveUp);
    }, ms);
  };
  const goOn = () => {
    if (gaveUp) throw gaveUp;
  };
  giveUpAfter(
    patienceMs,
    `No connection to the database was free within ${patienceMs} ms, so nothing was done. Try again, which is safe; if it stays so, the database or its pool is too small or does not answer.`,
  );
  const work = transact({
    begin() {
      goOn();
      giveUpAfter(
        3 * patienceMs,
        `The database did not answer within ${3 * patienceMs} ms. Try again, which is safe: what was done all the same is answered as done.`,
      );
    },
    beforeCommit: goOn,
  });
  // Its own failure after the caller has gone is nobody's.
  work.catch(() => {});
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
