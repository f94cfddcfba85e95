import { durationMs } from "@countersign/policy/internal/shared/duration";
import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import { withinTime } from "@countersign/policy/internal/shared/within-time";

/** How an instance ends. */
export interface CloseOptions {
  /** What must end before the store does: that of the server which still answers requests. @default nothing */
  after?: Promise<unknown> | undefined;
  /** How long handlers may run, and `after` may take. @default "25s" */
  timeout?: string | undefined;
}

interface Closing {
  /** Handlers that run, by the ids of their approvals. */
  inFlight: ReadonlyMap<string, Promise<unknown>>;
  /** Events that are being sent, which would otherwise wait for the relay. */
  sending: ReadonlySet<Promise<unknown>>;
  store: { close(): Promise<void> };
  logger: Logger;
}

/** Ends an instance once, however often it is called. */
export function createClose(parts: Closing, begin: () => void): (options?: CloseOptions) => Promise<void> {
  let closed: Promise<void> | undefined;
  return (options = {}) => {
    const { timeout = "25s" } = options;
    const timeoutMs = durationMs(timeout);
    if (timeoutMs === undefined) throw wrongOption("timeout", 'must be a duration, such as "25s"');
    // It is awaited later, and may fail before.
    Promise.resolve(options.after).catch(() => {});
    begin();
    closed ??= close(parts, { after: options.after, timeout, timeoutMs });
    return closed;
  };
}

async function close(
  { inFlight, sending, store, logger }: Closing,
  { after, timeout, timeoutMs }: { after: Promise<unknown> | undefined; timeout: string; timeoutMs: number },
): Promise<void> {
  const ended = async () => {
    while (inFlight.size > 0) await Promise.allSettled(inFlight.values());
    await after;
    while (sending.size > 0) await Promise.allSettled(sending);
  };
  try {
    await withinTime(timeoutMs, ended);
  } catch (error) {
    const running = [...inFlight.keys()];
    logger.warn(
      running.length > 0
        ? `${running.length} handlers still run after ${timeout}. If the process ends now, their calls become interrupted: they may or may not have done their work.`
        : `What close() waits for has not ended well within ${timeout}; the store closes now.`,
      { approvalIds: running, error: nameOfThrown(error) },
    );
  }
  await store.close().catch((error: unknown) => {
    logger.warn("The store did not close well", { error: nameOfThrown(error) });
  });
}
