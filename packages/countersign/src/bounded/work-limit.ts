import { withinTime } from "./within-time.js";

/**
 * Budget of one evaluation before time is measured, in units of about 0.1 µs. Counting gives the same result on every
 * machine and replay; time does not.
 */
const countedUnits = 100_000;

/** Minimum budget of each task, so that many cheap tasks never exhaust the limit. */
const unitsForEach = 200;

/** Additional time limit of an evaluation, in milliseconds of CPU time. */
const clockedMs = 30;

/** Maximum elapsed time for that on a busy machine. */
const starvedMs = 120;

/** Budget of an evaluation under the time limit. Limits its memory. */
const clockedUnits = 5_000_000;

/** Maximum cost of a single step, because the time limit cannot interrupt a built-in function. */
const unitsOfOneStep = 400_000;

/** Thrown if an evaluation exceeds its budget. */
export class TooMuchWork extends Error {
  override readonly name = "TooMuchWork";
}

/** Counts the work of one task. */
export class Meter {
  constructor(
    private units: number,
    private readonly clocked: boolean,
  ) {}

  /** The remaining budget. */
  get left(): number {
    return this.units;
  }

  /** @throws TooMuchWork if a step of that cost exceeds the remaining budget or the maximum of one step. */
  afford(units: number): void {
    if (units > this.units || units > unitsOfOneStep) throw new TooMuchWork();
  }

  /** @throws TooMuchWork before the work is done, as `afford` does. */
  spend(units: number): void {
    this.afford(units);
    this.units -= units;
  }

  /** Like `spend`, for work in JavaScript or regular expressions, which the time limit can interrupt. */
  spendStoppable(units: number): void {
    if (!this.clocked) this.spend(units);
  }
}

/**
 * Shared limit of an evaluation over all its conditions or patterns: at most 100,000 units of counted work, then 30
 * ms of time, so less than 50 ms in total. Tasks must be pure: a task that runs out of units restarts under the time
 * limit.
 */
export class WorkLimit {
  #units = countedUnits;
  #milliseconds = clockedMs;

  /** @throws TooMuchWork if the task exceeds the budget. Errors of the task are rethrown. */
  run<T>(task: (meter: Meter) => T): T {
    const meter = new Meter(this.#units + unitsForEach, false);
    try {
      return task(meter);
    } catch (error) {
      if (!(error instanceof TooMuchWork) || this.#milliseconds < 1) throw error;
    } finally {
      this.#units = Math.min(this.#units, meter.left);
    }
    return this.#runByClock(task);
  }

  #runByClock<T>(task: (meter: Meter) => T): T {
    const attempt = (milliseconds: number) =>
      withinTime(Math.floor(milliseconds), () => task(new Meter(clockedUnits, true)));
    const limit = this.#milliseconds;
    const began = performance.now();
    const before = process.cpuUsage();
    try {
      const done = attempt(limit);
      if (done) return done.value;
      const share = processorTimeSince(before) / (performance.now() - began);
      // The time limit expired while other threads used the CPU.
      const again = share < 0.5 ? attempt(Math.min(starvedMs, limit / share)) : undefined;
      if (again) return again.value;
      this.#milliseconds = 0;
      throw new TooMuchWork();
    } finally {
      this.#milliseconds -= processorTimeSince(before);
    }
  }
}

function processorTimeSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
