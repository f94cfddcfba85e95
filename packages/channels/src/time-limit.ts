/**
 * Runs work with a signal that fires after a time, or earlier with another signal. Node 20 may collect a signal of
 * `AbortSignal.timeout` that only `AbortSignal.any` knows, so a timer of one's own.
 */
export async function withTimeLimit<T>(
  limitMs: number,
  signal: AbortSignal,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, limitMs);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
