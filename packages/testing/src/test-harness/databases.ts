import type { PGlite } from "@electric-sql/pglite";
import { openMigratedPglite } from "./migrated-image.js";

/** Maximum time to keep a database for the next harness. An open database keeps the process alive. */
const idleMs = 1000;

/** Databases of harnesses that are done, in this process, and what closes each. */
const idle: { database: PGlite; closing: NodeJS.Timeout }[] = [];

/**
 * An embedded database with all tables and no rows. Emptying a used database takes a tenth of the time of opening a new
 * one.
 */
export async function takeDatabase(): Promise<PGlite> {
  const used = idle.pop();
  if (!used) return openMigratedPglite();
  clearTimeout(used.closing);
  await used.database.exec(emptyTables);
  return used.database;
}

/** Returns the database for reuse by the next harness. The caller must no longer use it. */
export function giveBackDatabase(database: PGlite): void {
  const entry = { database, closing: setTimeout(close, idleMs).unref() };
  idle.push(entry);
  function close() {
    idle.splice(idle.indexOf(entry), 1);
    void database.close();
  }
}

/** Empties all tables. The triggers of the audit log refuse this, so they are disabled meanwhile. */
const emptyTables = `
  do $$ declare used record; filled boolean; refusing text[]; trigger text; begin
    for used in select c.oid, c.oid::regclass as name from pg_class c
      where c.relkind = 'r' and c.relnamespace in ('countersign'::regnamespace, 'local_engine'::regnamespace)
    loop
      execute format('select exists (select from %s)', used.name) into filled;
      continue when not filled;
      refusing := array(select tgname from pg_trigger where tgrelid = used.oid and tgenabled = 'A');
      foreach trigger in array refusing loop
        execute format('alter table %s disable trigger %I', used.name, trigger);
      end loop;
      execute format('truncate %s restart identity cascade', used.name);
      foreach trigger in array refusing loop
        execute format('alter table %s enable always trigger %I', used.name, trigger);
      end loop;
    end loop;
  end $$;`;
