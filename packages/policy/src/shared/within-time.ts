/** Thrown when work has not ended in time. The work may still complete. */
export class OutOfTime extends Error {
  override name = "OutOfTime";
}

/** Runs work with a signal. Stops waiting for it when the time is over, even if the work ignores the signal. `late` is the error's text. */
export async function withinTime<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T> | T,
  late = `It took longer than ${timeoutMs} ms`,
): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new OutOfTime(late);
      reject(error);
      controller.abort(error);
    }, timeoutMs);
  });
  try {
    return await Promise.race([(async () => work(controller.signal))(), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
