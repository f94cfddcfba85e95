import type { Clock } from "../../protocol/clock.js";

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** A single timer for all deadlines. It stores the earliest one, and calls back when that is due. */
export class Timer {
  #next = Number.POSITIVE_INFINITY;
  #handle: NodeJS.Timeout | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onDue: () => void,
  ) {}

  /** Whether a deadline has passed for which the timer has not fired yet. */
  get isDue(): boolean {
    return this.#next <= this.clock.now();
  }

  /** Makes the timer fire at this time at the latest. */
  wakeAt(at: number): void {
    if (at >= this.#next) return;
    this.#next = at;
    this.#arm();
  }

  /** Forgets the deadline, because a scan is about to read everything that is due. */
  reset(): void {
    clearTimeout(this.#handle);
    this.#next = Number.POSITIVE_INFINITY;
  }

  #arm(): void {
    clearTimeout(this.#handle);
    if (this.#next === Number.POSITIVE_INFINITY) return;
    const delay = Math.min(Math.max(this.#next - this.clock.now(), 0), MAX_TIMEOUT_MS);
    this.#handle = setTimeout(() => this.#fire(), delay);
  }

  #fire(): void {
    if (!this.isDue) {
      this.#arm();
      return;
    }
    this.#next = Number.POSITIVE_INFINITY;
    this.onDue();
  }
}
