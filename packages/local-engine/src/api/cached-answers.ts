/** A cache of recent responses. */
export class CachedAnswers {
  readonly #answers = new Map<string, { body: unknown; until: number }>();

  constructor(
    private readonly now: () => number,
    private readonly lifetimeMs: number,
  ) {}

  /** Returns the cached response for the key, or creates one. */
  async get(
    key: string,
    make: (times: { now: number; until: number }) => Promise<unknown>,
  ): Promise<unknown> {
    const now = this.now();
    this.#forgetExpired(now);
    const known = this.#answers.get(key);
    if (known) return known.body;
    const until = now + this.lifetimeMs;
    const body = await make({ now, until });
    this.#answers.set(key, { body, until });
    return body;
  }

  #forgetExpired(now: number): void {
    for (const [key, { until }] of this.#answers) if (until <= now) this.#answers.delete(key);
  }
}
