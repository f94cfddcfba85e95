import { Cron } from "croner";

/** A function and its cron expression. */
interface Trigger {
  fn: { id: string };
  cron: string;
}

interface Entry<T extends Trigger> {
  trigger: T;
  pattern: Cron;
  next: number;
}

/**
 * The cron schedule, in memory only. Ticks that were due while no engine ran are not made up for. If several ticks are
 * due at once, because the machine slept or a test moved the clock, only the last one counts.
 */
export class CronSchedule<T extends Trigger = Trigger> {
  #entries: Entry<T>[] = [];

  /** Replaces the triggers. Those that are already scheduled keep their next time. */
  set(triggers: T[], now: number): void {
    const known = new Map(this.#entries.map(({ trigger, next }) => [keyOf(trigger), next]));
    this.#entries = triggers.flatMap((trigger) => {
      const pattern = parseCron(trigger.cron);
      const next = known.get(keyOf(trigger)) ?? nextTime(pattern, now);
      return next === undefined ? [] : [{ trigger, pattern, next }];
    });
  }

  /** The next time at which a trigger is due. */
  get nextAt(): number | undefined {
    return this.#entries.length === 0 ? undefined : Math.min(...this.#entries.map(({ next }) => next));
  }

  /** Returns the last due tick of each trigger, ordered by time, and schedules the next ones. */
  takeDue(now: number): Array<T & { at: number }> {
    const due: Array<T & { at: number }> = [];
    for (const entry of this.#entries) {
      if (entry.next > now) continue;
      due.push({ ...entry.trigger, at: lastTick(entry, now) });
      entry.next = nextTime(entry.pattern, now) ?? Number.POSITIVE_INFINITY;
    }
    return due.sort((a, b) => a.at - b.at);
  }
}

/** Reads a cron expression, with an optional `TZ=Europe/Paris ` before it. Throws if it is invalid. */
export function parseCron(text: string): Cron {
  const [, timezone, pattern] = /^(?:TZ=(\S+)\s+)?(.*)$/.exec(text.trim()) ?? [];
  try {
    return new Cron(pattern ?? "", { paused: true, timezone: timezone ?? "UTC" });
  } catch (error) {
    throw new Error(`Invalid cron "${text}": ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The last tick that is not after `now`. */
function lastTick({ pattern, next }: Entry<Trigger>, now: number): number {
  // Croner returns the tick before a time, never the one at that time.
  const [last] = pattern.previousRuns(1, new Date(now + 1));
  return Math.max(last?.getTime() ?? next, next);
}

function nextTime(pattern: Cron, after: number): number | undefined {
  return pattern.nextRun(new Date(after))?.getTime();
}

function keyOf({ fn, cron }: Trigger): string {
  return JSON.stringify([fn.id, cron]);
}
