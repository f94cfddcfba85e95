/** The server's time, told from the last answer that carried it; until then this device's. */
export interface ServerClock {
  /** Milliseconds since 1970, by the server. */
  now(): number;
  /** Takes note of an ISO date, or of a Date header, which counts only seconds. */
  note(serverTime: string | null | undefined): void;
}

export function createServerClock(deviceNow: () => number = Date.now): ServerClock {
  let offset = 0;
  return {
    now: () => deviceNow() + offset,
    note(serverTime) {
      const time = serverTime ? Date.parse(serverTime) : Number.NaN;
      if (!Number.isNaN(time)) offset = time - deviceNow();
    },
  };
}
