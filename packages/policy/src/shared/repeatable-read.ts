/** Milliseconds after which a read that failed is repeated. */
const retryMs = 1000;

/** One read at a time. */
export interface RepeatableRead {
  /** Reads now. Calls during a read cause one further read, however many they are. */
  read(): void;
  close(): void;
}

/** Repeats a failed read after a pause. `read` must therefore continue where the last successful read ended. */
export function createRepeatableRead(
  readOnce: () => Promise<void>,
  onError: (error: unknown) => void = () => {},
): RepeatableRead {
  let reading = false;
  let again = false;
  let closed = false;
  const read = async () => {
    again = true;
    if (reading) return;
    reading = true;
    try {
      while (again && !closed) {
        again = false;
        await readOnce();
      }
    } catch (error) {
      again = true;
      onError(error);
    } finally {
      reading = false;
    }
    if (again && !closed) setTimeout(() => void read(), retryMs).unref();
  };
  return {
    read: () => void read(),
    close: () => {
      closed = true;
    },
  };
}
