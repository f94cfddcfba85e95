import { Cron } from "croner";
import type { CronTrigger } from "../apps/registry.js";

interface Entry extends CronTrigger {
  pattern: Cron;
  next: number;
}

/**
 * When functions start by themselves. It is kept in memory only: what was due while no engine ran is not made up for.
 */
export class CronSchedule {
  #entries: Entry[] = [];

  /** Schedules triggers from now on; those that it has already keep their next time. */
  set(triggers: CronTrigger[], now: number): void {
    const known = new Map(this.#entries.map((entry) => [keyOf(entry), entry.next]));
    this.#entries = triggers.flatMap((trigger) => {
      const pattern = parseCron(trigger.cron);
      const next = known.get(keyOf(trigger)) ?? nextTime(pattern, now);
      return next === undefined ? [] : [{ ...trigger, pattern, next }];
    });
  }

  /** The next time at which a trigger is due. */
  get nextAt(): number | undefined {
    return this.#entries.length === 0 ? undefined : Math.min(...this.#entries.map(({ next }) => next));
  }

  /** Takes the ticks that are due, in their order, and schedules those after them. */
  takeDue(now: number): Array<CronTrigger & { at: number }> {
    const due: Array<CronTrigger & { at: number }> = [];
    for (const entry of this.#entries) {
      while (entry.next <= now) {
        due.push({ fn: entry.fn, cron: entry.cron, at: entry.next });
        entry.next = nextTime(entry.pattern, entry.next) ?? Number.POSITIVE_INFINITY;
      }
    }
    return due.sort((a, b) => a.at - b.at);
  }
}

/** Reads a cron expression, with an optional `TZ=Europe/Paris ` before it. Throws when it is none. */
export function parseCron(text: string): Cron {
  const [, timezone, pattern] = /^(?:TZ=(\S+)\s+)?(.*)$/.exec(text.trim()) ?? [];
  try {
    return new Cron(pattern ?? "", { paused: true, timezone: timezone ?? "UTC" });
  } catch (error) {
    throw new Error(`Invalid cron "${text}": ${error instanceof Error ? error.message : String(error)}`);
  }
}

function nextTime(pattern: Cron, after: number): number | undefined {
  return pattern.nextRun(new Date(after))?.getTime();
}

function keyOf({ fn, cron }: CronTrigger): string {
  return JSON.stringify([fn.id, cron]);
}
