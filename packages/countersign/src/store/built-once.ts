import { type Placeholder, sql } from "drizzle-orm";
import type { Session } from "./database.js";

/** Gives the place of a value in a statement. */
export type ValueOf<Name extends string> = (name: Name) => Placeholder;

interface Prepared<Result> {
  execute(values: Record<string, unknown>): Promise<Result>;
}

/** Where Drizzle's drivers for Postgres keep the connection. All else of a prepared statement stays the same. */
interface OnConnection {
  client: unknown;
}

/**
 * A statement that Drizzle builds once for all transactions. To build one with all columns of an approval takes several
 * times as long as to send it.
 */
export function builtOnce<Name extends string, Result>(
  build: (session: Session, value: ValueOf<Name>) => { prepare(name: string): Prepared<Result> },
): (session: Session, values: Readonly<Record<Name, unknown>>) => Promise<Result> {
  const byDriver = new Map<unknown, Prepared<Result>>();
  return (session, values) => {
    const connection = session.db._.session as typeof session.db._.session & OnConnection;
    const { client, constructor: driver } = connection;
    const built = byDriver.get(driver);
    // Only tests shift the time, which their statements contain.
    const isSame = session.clockOffsetMs === 0;
    if (built && isSame) return onConnection(built, client).execute(values);
    const prepared = build(session, (name) => sql.placeholder(name)).prepare("") as Prepared<Result> &
      Partial<OnConnection>;
    // A driver that keeps its connection elsewhere has each statement built again. What is kept has none, so that none
    // outlives its pool.
    if (isSame && prepared.client === client) byDriver.set(driver, onConnection(prepared, undefined));
    return prepared.execute(values);
  };
}

function onConnection<Result>(built: Prepared<Result>, client: unknown): Prepared<Result> {
  return Object.assign(Object.create(Object.getPrototypeOf(built)), built, { client });
}
