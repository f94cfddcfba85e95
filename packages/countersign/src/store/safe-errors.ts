import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { CountsChanged } from "../approval/counts-changed.js";
import { bugError } from "./connection/bug-error.js";
import { adviceOn, sqlStateOf } from "./connection/sql-states.js";
import { lacksMigration, notMigrated } from "./migrations/not-migrated.js";
import type { Store } from "./store.js";

/** Exists in types only. */
export type Brand = "~countersign";

/** Every verb that returns a promise. */
export type Verbs = Omit<Store, "exportAudit" | "observe" | "onDue" | "onTransitions" | "withVerbs" | Brand>;

/**
 * The same verbs with errors that contain the operation and the database's error code, and nothing else. Drivers'
 * messages quote statements and parameters, and parameters are people's data.
 *
 * @param onFailure Gets the code of each error of the database.
 */
export function withSafeErrors<V extends object>(
  verbs: V,
  onFailure: (sqlState: string | undefined) => void,
): V {
  return new Proxy(verbs, {
    get(target, name: string) {
      const verb: unknown = Reflect.get(target, name);
      if (typeof verb !== "function") return verb;
      return async (...args: unknown[]) => {
        try {
          return await verb.apply(target, args);
        } catch (error) {
          if (CountersignError.isInstance(error) || CountsChanged.isInstance(error)) throw error;
          const mistake = bugError(name, error);
          if (mistake) throw mistake;
          const sqlState = sqlStateOf(error);
          onFailure(sqlState);
          // A failure during a migration is one of the migration itself.
          if (name !== "migrate" && lacksMigration(sqlState)) throw notMigrated({ verb: name, sqlState });
          throw databaseFailed(name, sqlState);
        }
      };
    },
  });
}

/** The error of a verb whose query failed. */
export function databaseFailed(verb: string, sqlState: string | undefined): CountersignError {
  const advice = adviceOn(sqlState);
  const otherwise = "Check that the database is reachable, then try again; this is safe.";
  return new CountersignError(
    "database_failed",
    `The database query of "${verb}" failed${sqlState ? ` (SQLSTATE ${sqlState})` : ""}. ${advice ?? otherwise}`,
    { detail: { verb, sqlState, ...(advice !== undefined && { advice }) } },
  );
}
