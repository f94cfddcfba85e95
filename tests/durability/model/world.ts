import { ask, type Countersign, CountersignError, createCountersign, definePolicy, deny } from "countersign";
import { Inngest } from "inngest";
import { watchStates } from "../../support/audit-log.js";
import { freshPostgres, type TestDatabase } from "../../support/databases.js";
import { interceptedStore } from "../../support/intercepted-store.js";
import { stopClock } from "../../support/postgres/stopped-clock.js";
import { postgresStore, type Store } from "../../support/store.js";

/** The policy denies edits to this amount or more. */
export const forbiddenAmount = 900;

const policy = definePolicy({
  tools: { refund: ({ input }) => (Number(input.amount) >= forbiddenAmount ? deny("Too much") : ask()) },
});

/** The beginning of the model's time. */
export const beginning = Date.parse("2030-01-01T00:00:00Z");

/** The real system: a store on Postgres with a clock that the test sets, and an Inngest client that only records events. */
export interface World {
  store: Store;
  countersign: Countersign;
  database: TestDatabase & { kind: "postgres" };
  /** Milliseconds since the beginning. */
  setTime(now: number): Promise<void>;
  /** The id of the grant with this key in the model. */
  grantId(key: string): Promise<string>;
  /** The requests of the wake-ups sent since the last call. */
  takeSent(): string[];
  /** All states of each approval in order, as a database trigger recorded them. */
  states(): Promise<Map<string, string[]>>;
  /** Empties the database for the next run. */
  reset(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openWorld(connections: number): Promise<World> {
  const database = await freshPostgres(connections);
  const setClock = await stopClock(database.admin);
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  const states = await watchStates(database);
  const sent: string[] = [];
  const inngest = new Inngest({
    id: "model",
    isDev: true,
    fetch: async (_input, init) => {
      const events = JSON.parse(String(init?.body)) as { name: string; data: { requestId: string } }[];
      for (const { name, data } of events) {
        if (name === "countersign/request.wake-up") sent.push(data.requestId);
      }
      return Response.json({ ids: events.map((_, index) => String(index)), status: 200 });
    },
  });
  return {
    store,
    // The model expects each wake-up once. Its repetition after a second would arrive at any time.
    countersign: createCountersign({
      inngest,
      store: interceptedStore(store, { wakeUpsStillDue: async () => [] }),
      policy,
    }),
    database,
    setTime: (now) => setClock(new Date(beginning + now)),
    grantId: async (key) => {
      const [approval = "", ...rest] = key.split(" ");
      const [found] = await database.admin<{ id: string }[]>`
        select id from countersign.grants where approval_id = ${approval} and rerun = ${rest.length > 0}`;
      return found?.id ?? "grt_none";
    },
    takeSent: () => sent.splice(0).sort(),
    states,
    reset: async () => {
      sent.length = 0;
      // Only a superuser who first disables the triggers can empty the audit log.
      await database.admin.unsafe(`
        alter table countersign.audit_entries disable trigger user;
        alter table countersign.audit_heads disable trigger user;
        truncate countersign.requests, countersign.ended_runs, countersign.grants, countersign.audit_entries, countersign.audit_heads,
          public.state_changes restart identity cascade;
        alter table countersign.audit_entries enable always trigger append_only;
        alter table countersign.audit_heads enable always trigger append_only;
        alter table countersign.audit_heads enable always trigger only_forward;`);
    },
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** The outcome of a person's act: `ok`, or the error's code, with the winner if another person was first. */
export async function outcomeOf(doing: Promise<unknown>): Promise<string> {
  try {
    await doing;
    return "ok";
  } catch (error) {
    if (!CountersignError.isInstance(error)) throw error;
    const winner = error.detail.decidedBy ?? error.detail.resolvedBy;
    return typeof winner === "string" ? `${error.code} by ${winner}` : error.code;
  }
}
