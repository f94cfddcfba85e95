// Do not import Drizzle here: public declarations include this file.

export interface MigrateOptions {
  /** Called before each migration is applied. If a later one fails, all are rolled back. */
  onMigration?: (name: string) => void;
}

/** The database itself: its migrations and its time. */
export interface DatabasePort {
  /** Whether the database has every migration of this version. */
  isMigrated(): Promise<boolean>;
  /** Rejects with `database_failed` if the database accepts no writes. Writes at most once in ten seconds. */
  probeWrites(): Promise<void>;
  /** The database's time, which all displayed times use. It is measured now and then, and never fails. */
  now(): Promise<Date>;
}
