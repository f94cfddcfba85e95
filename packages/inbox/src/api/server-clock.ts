/** The server's time, from the latest response that carried it; until then this device's. */
export interface ServerClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Sets the clock to the server's time. */
  set(serverTime: Date): void;
}

export function createServerClock(deviceNow: () => number = Date.now): ServerClock {
  let offset = 0;
  return {
    now: () => deviceNow() + offset,
    set(serverTime) {
      const time = serverTime.getTime();
      if (!Number.isNaN(time)) offset = time - deviceNow();
    },
  };
}
