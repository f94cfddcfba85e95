import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Session } from "./database.js";

/** Gives the place of a value in a statement. */
export type ValueOf<Name extends string> = (name: Name) => Placeholder;

interface Prepared<Result> {
  execute(values: Record<string, unknown>): Promise<Result>;
}

/** What Drizzle's drivers for Postgres keep of a prepared statement. All but the connection stays the same. */
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
    const connection = session.db._.session;
    const prepare = () => build(session, (name) => sql.placeholder(name)).prepare("");
    // Only tests shift the time, which their statements contain.
    if (session.clockOffsetMs !== 0) return prepare().execute(values);
    const built = byDriver.get(connection.constructor) ?? prepare();
    byDriver.set(connection.constructor, built);
    return onConnection(built, connection as unknown as OnConnection).execute(values);
  };
}

/** The statement for the connection of one transaction. */
function onConnection<Result>(built: Prepared<Result>, { client }: OnConnection): Prepared<Result> {
  return Object.assign(Object.create(Object.getPrototypeOf(built)), built, { client });
}

/** A value for a column, written as the column's type demands; never `null` for an array. */
export function valueFor(column: PgColumn, value: Placeholder): SQL {
  return sql`${sql.param(value, column)}`;
}
