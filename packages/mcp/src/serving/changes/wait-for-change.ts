import type { StoreVerbs as Store } from "countersign/internal";

interface AwaitedChange<T> {
  read(): Promise<T>;
  /** Whether to wait for the next change. */
  waits(value: T): boolean;
  /** Maximum time, in milliseconds. */
  ms: number;
  signal?: AbortSignal | undefined;
  /** Counts the wait until the returned function is called. */
  enter(): () => void;
}

/** Reads a value until `waits` is false for it, the time is over, or the client has disconnected. */
export async function waitForChange<T>(
  store: Pick<Store, "subscribe">,
  tenantId: string,
  { read, waits, ms, signal, enter }: AwaitedChange<T>,
): Promise<T> {
  if (ms <= 0) return read();
  const leave = enter();
  const endsAt = performance.now() + ms;
  let changed = false;
  let wake = () => {};
  const notice = () => {
    changed = true;
    wake();
  };
  const unsubscribe = await store.subscribe(tenantId, notice).catch((error: unknown) => {
    leave();
    throw error;
  });
  signal?.addEventListener("abort", notice);
  try {
    for (;;) {
      changed = false;
      const value = await read();
      const left = endsAt - performance.now();
      if (!waits(value) || left <= 0 || signal?.aborted) return value;
      if (changed) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    signal?.removeEventListener("abort", notice);
    leave();
    await unsubscribe();
  }
}
