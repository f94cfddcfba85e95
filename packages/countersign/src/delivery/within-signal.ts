/** Milliseconds that a channel has for one attempt. */
const attemptTimeoutMs = 15_000;

/** Thrown when a channel has not answered in time. The channel may still complete its work. */
export class AttemptTimeout extends Error {
  override name = "AttemptTimeout";
}

/**
 * Runs a channel's work with a signal. Stops waiting for the work when the time is over, even if the work ignores the
 * signal.
 */
export async function withinAttempt<T>(
  work: (signal: AbortSignal) => Promise<T> | T,
  timeoutMs = attemptTimeoutMs,
): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      controller.abort(new AttemptTimeout("The attempt took too long"));
      reject(new AttemptTimeout("The attempt took too long"));
    }, timeoutMs);
  });
  try {
    return await Promise.race([(async () => work(controller.signal))(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
