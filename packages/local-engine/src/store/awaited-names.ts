import type { Database } from "./connection/open-database.js";
import { waits } from "./schema.js";

/** Names of events that a wait may wait for. Most events are awaited by nobody, and need no reading of waits. */
export class AwaitedNames {
  #names: Promise<Set<string>> | undefined;

  constructor(private readonly db: Database) {}

  async has(name: string): Promise<boolean> {
    this.#names ??= this.#read();
    return (await this.#names).has(name);
  }

  /** Names are kept when their waits end. */
  async add(name: string): Promise<void> {
    this.#names ??= this.#read();
    (await this.#names).add(name);
  }

  async #read(): Promise<Set<string>> {
    try {
      const rows = await this.db.selectDistinct({ name: waits.eventName }).from(waits);
      return new Set(rows.flatMap(({ name }) => name ?? []));
    } catch (error) {
      this.#names = undefined;
      throw error;
    }
  }
}
