import { createHash } from "node:crypto";

/** How often each happens, of 100 times. */
const PERCENT = {
  /** A request to an app is made twice at once. */
  repeat: 8,
  /** A step is planned first, and runs in a request of its own. */
  plan: 15,
  /** A checkpoint is lost before it is kept. */
  loseBefore: 4,
  /** It is kept, and its answer is lost. */
  loseAfter: 4,
} as const;

/** Maximum number of turns of the event loop by which something is late. */
const MAX_TURNS = 40;

/**
 * Does by a seed what Inngest's server may do at any time. Each decision depends on the seed, on what it is about and on how
 * often it came up, and not on what happens elsewhere meanwhile.
 */
export class Disorder {
  readonly #counts = new Map<string, number>();

  constructor(private readonly seed: string) {}

  happens(what: keyof typeof PERCENT, about: string): boolean {
    return this.#draw(what, about) * 100 < PERCENT[what];
  }

  /** One of the items. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#draw("pick", "") * items.length)];
  }

  /** Waits for some turns of the event loop. */
  async linger(about: string): Promise<void> {
    const turns = Math.floor(this.#draw("linger", about) * (MAX_TURNS + 1));
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** A number from 0 up to, but not including, 1. */
  #draw(what: string, about: string): number {
    const name = JSON.stringify([what, about]);
    const count = this.#counts.get(name) ?? 0;
    this.#counts.set(name, count + 1);
    const hash = createHash("sha256").update(JSON.stringify([this.seed, name, count]));
    return hash.digest().readUInt32BE(0) / 2 ** 32;
  }
}
