import { setTimeout as sleep } from "node:timers/promises";

export interface KeepRegisteredOptions {
  /** The server's display name. */
  engineName: string;
  /** Registers the app. Returns what went wrong, or `undefined`. */
  register: () => Promise<string | undefined>;
  /** Whether the engine responds and knows the app. */
  isKnown: () => Promise<boolean>;
  /** Stops it. */
  signal: AbortSignal;
  log: (line: string) => void;
  /** Waits for a time. @default a timer that `signal` ends early */
  pause?: (ms: number) => Promise<unknown>;
}

const lookEveryMs = 30_000;
const firstRetryMs = 1000;
const lastRetryMs = 15_000;

/**
 * Registers the app with an Inngest server, and again after the server was unavailable or has lost the app: a Dev Server
 * forgets its apps when it restarts. Logs each problem once. Resolves when `signal` aborts.
 */
export async function keepRegistered(options: KeepRegisteredOptions): Promise<void> {
  const { engineName, register, isKnown, signal, log } = options;
  const pause = options.pause ?? ((ms) => sleep(ms, undefined, { signal }).catch(() => {}));
  let verb = "Registered";
  let retryMs = firstRetryMs;
  let lastProblem: string | undefined;
  while (!signal.aborted) {
    const problem = await register();
    if (signal.aborted) return;
    if (problem !== undefined) {
      if (problem !== lastProblem) log(`${engineName} ${problem}`);
      lastProblem = problem;
      await pause(retryMs);
      retryMs = Math.min(retryMs * 2, lastRetryMs);
      continue;
    }
    log(`${verb} with ${engineName}`);
    [verb, retryMs, lastProblem] = ["Registered again", firstRetryMs, undefined];
    do await pause(lookEveryMs);
    while (!signal.aborted && (await isKnown()));
  }
}
