/** Budget of the conditions of one evaluation, in units of about 0.1 µs. */
const unitsOfConditions = 1_000_000;

/** Budget of one redaction: enough for the largest arguments and several patterns. */
export const unitsOfRedaction = 10_000_000;

/** Minimum budget of each task, so that many cheap tasks never exhaust the limit. */
const unitsOfTask = 200;

/** Thrown if an evaluation exceeds its budget. */
export class TooMuchWork extends Error {
  override readonly name = "TooMuchWork";
}

/** Counts the work of one task. */
export class Meter {
  constructor(private units: number) {}

  /** The remaining budget. */
  get left(): number {
    return this.units;
  }

  /** @throws TooMuchWork if the remaining budget is smaller. */
  afford(units: number): void {
    if (units > this.units) throw new TooMuchWork();
  }

  /** @throws TooMuchWork before the work is done, as `afford` does. */
  spend(units: number): void {
    this.afford(units);
    this.units -= units;
  }
}

/**
 * Shared limit of an evaluation over all its conditions or patterns. It counts work and measures no time, so that the same
 * evaluation has the same result on every machine, however busy, and in every replay.
 */
export class WorkLimit {
  #units: number;

  constructor(units = unitsOfConditions) {
    this.#units = units;
  }

  /** @throws TooMuchWork if the task exceeds the budget. Errors of the task are rethrown. */
  run<T>(task: (meter: Meter) => T): T {
    const meter = new Meter(this.#units + unitsOfTask);
    try {
      return task(meter);
    } finally {
      this.#units = Math.min(this.#units, meter.left);
    }
  }
}
