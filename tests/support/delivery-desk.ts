import {
  type Channel,
  type Countersign,
  type CountersignOptions,
  createCountersign,
  definePolicy,
} from "countersign";
import { createAttempt } from "countersign/internal";
import { freshPostgres } from "./databases.js";
import { recordingInngest } from "./recording-inngest.js";
import { postgresStore, type Store } from "./store.js";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * Channels on a Postgres of their own, without an engine. A test makes the attempts itself, and moves the store's clock
 * with `time`.
 */
export async function openDeliveryDesk(...given: Channel[]) {
  const database = await freshPostgres();
  const time = { offset: 0 };
  const store = postgresStore({ client: database.postgres, clockOffset: () => time.offset });
  await store.migrate();
  const channels = new Map(given.map((channel) => [channel.name, channel]));
  const logged: unknown[] = [];
  const log = (...entry: unknown[]) => void logged.push(entry);
  const attemptWith = (its: Store) =>
    createAttempt({
      store: its,
      channels,
      inboxUrl: "https://desk.example.com/inbox",
      logger: { ...silent, warn: log, error: log },
    });
  const attempt = attemptWith(store);
  const due = () => dueDeliveries(store, [...channels.keys()], time);
  return {
    database,
    store,
    time,
    attempt,
    due,
    /** The arguments of each warning and error in the log. */
    logged,
    /** Makes attempts until nothing is due now. `by` makes them, by default this process. */
    async sendAll(by = attempt): Promise<void> {
      for (let round = 0; round < 50; round++) {
        const ids = await due();
        if (ids.length === 0) return;
        for (const id of ids) await by(id);
      }
      throw new Error("Deliveries never end");
    },
    /** The attempts of another process, which shares only the database. */
    otherProcess: () =>
      attemptWith(postgresStore({ client: database.postgres, clockOffset: () => time.offset })),
    /** An instance without an engine, for decisions in channels and over HTTP. */
    instance(options: Partial<CountersignOptions> = {}): Countersign {
      return createCountersign({
        inngest: recordingInngest().inngest,
        store,
        policy: definePolicy({ tools: {} }),
        channels: given,
        inboxUrl: "https://desk.example.com/inbox",
        logger: silent,
        ...options,
      });
    },
    async rows(): Promise<Record<string, unknown>[]> {
      return [...(await database.admin`select * from countersign.deliveries order by created_at, id`)];
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

export type DeliveryDesk = Awaited<ReturnType<typeof openDeliveryDesk>>;

/**
 * The ids of the deliveries that are due. The relay leaves out those that have been due for less than five seconds, so
 * this looks five seconds ahead.
 */
async function dueDeliveries(store: Store, channels: string[], time: { offset: number }): Promise<string[]> {
  const before = time.offset;
  time.offset += 5_000;
  try {
    return (await store.overdueDeliveries(channels, 100)).map(({ id }) => id);
  } finally {
    time.offset = before;
  }
}
