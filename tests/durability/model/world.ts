import { ask, type Countersign, CountersignError, createCountersign, definePolicy, deny } from "countersign";
import { Inngest } from "inngest";
import { watchStates } from "../../support/audit-log.js";
import { freshPostgres, type TestDatabase } from "../../support/databases.js";
import { interceptedStore } from "../../support/intercepted-store.js";
import { postgresStore, type Store } from "../../support/store.js";

/** Amounts from here on the policy does not let anybody edit into a call. */
export const forbiddenAmount = 900;

const policy = definePolicy({
  tools: { refund: ({ input }) => (Number(input.amount) >= forbiddenAmount ? deny("Too much") : ask()) },
});

/** Where the model's time begins. */
export const beginning = Date.parse("2030-01-01T00:00:00Z");

/** The real thing: a store on Postgres whose clock stands still until it is moved, and an Inngest that only listens. */
export interface World {
  store: Store;
  countersign: Countersign;
  database: TestDatabase & { kind: "postgres" };
  /** Milliseconds since the beginning. */
  setTime(now: number): Promise<void>;
  /** The id of the grant that the model calls so. */
  grantId(key: string): Promise<string>;
  /** Requests for which wake-ups were sent since this was last asked. */
  takeSent(): string[];
  /** Every state that each approval has ever had, in order, as the database saw it. */
  states(): Promise<Map<string, string[]>>;
  /** Empties the database for the next run. */
  reset(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openWorld(connections: number): Promise<World> {
  const database = await freshPostgres(connections);
  await stopClock(database.admin);
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
    // The model knows each wake-up once; the one that is sent again after a second would come at any time.
    countersign: createCountersign({
      inngest,
      store: interceptedStore(store, { wakeUpsStillDue: async () => [] }),
      policy,
    }),
    database,
    setTime: async (now) => {
      await database.admin`update public.stopped_clock set at = ${new Date(beginning + now)}`;
    },
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
      // Only a superuser who first switches the guards off empties an audit log.
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

/**
 * Lets whoever connects from now on find the time of a table where they ask for the clock's. However slow the machine
 * is, things then happen at exactly the moments that the model thinks of.
 */
async function stopClock(admin: World["database"]["admin"]): Promise<void> {
  await admin.unsafe(`
    create table public.stopped_clock (at timestamptz not null);
    insert into public.stopped_clock values (now());
    create function public.clock_timestamp() returns timestamptz language sql volatile security definer
      as 'select at from public.stopped_clock';
    do $$ begin
      execute format('alter database %I set search_path = public, pg_catalog', current_database());
    end $$;`);
}

/** What a person's doing came to: `ok`, or the code of the error, with the winner where somebody was first. */
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
