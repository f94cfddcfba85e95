import type { Clock } from "../../protocol/clock.js";

const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** One timer for everything that is to happen later: it knows the earliest deadline, and calls back when it is due. */
export class Timer {
  #next = Number.POSITIVE_INFINITY;
  #handle: NodeJS.Timeout | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onDue: () => void,
  ) {}

  /** Whether something is due that has not been looked at. */
  get isDue(): boolean {
    return this.#next <= this.clock.now();
  }

  /** Makes sure that the timer fires at this time at the latest. */
  wakeAt(at: number): void {
    if (at >= this.#next) return;
    this.#next = at;
    this.#arm();
  }

  /** Forgets what it knows, because everything that is due is about to be looked at. */
  reset(): void {
    clearTimeout(this.#handle);
    this.#next = Number.POSITIVE_INFINITY;
  }

  #arm(): void {
    clearTimeout(this.#handle);
    if (this.#next === Number.POSITIVE_INFINITY) return;
    const delay = Math.min(Math.max(this.#next - this.clock.now(), 0), LONGEST_TIMEOUT_MS);
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
