import { sql } from "drizzle-orm";
import type { Session } from "../database.js";

/** How long a measurement is valid, in milliseconds. Clocks drift apart too slowly for people to notice. */
const measuredForMs = 60_000;

export async function readTime({ db }: Pick<Session, "db">): Promise<Date> {
  const at = sql<string>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint::text`;
  const [row] = await db.select({ at }).from(sql`(values (1)) as one`);
  return new Date(Number(row?.at));
}

/**
 * The database's time without a query per call: it measures the difference to this process' clock now and then. If the
 * database does not answer, the last measurement is used; before the first one, this process' own clock.
 *
 * @param movedBy Milliseconds by which tests shift the database's time.
 */
export function createDatabaseClock(read: () => Promise<Date>, movedBy: () => number): () => Promise<Date> {
  let offset = 0;
  let measuring: { since: number; done: Promise<void> } | undefined;
  const measure = async () => {
    const asked = performance.now();
    const askedAt = Date.now();
    const theirs = await read().catch(() => undefined);
    // The database answered about halfway between the request and the response.
    if (theirs) offset = theirs.getTime() - (askedAt + (performance.now() - asked) / 2);
    else measuring = undefined;
  };
  return async () => {
    const now = performance.now();
    if (!measuring || now - measuring.since > measuredForMs) measuring = { since: now, done: measure() };
    await measuring.done;
    return new Date(Date.now() + offset + movedBy());
  };
}
