import { CountersignError } from "../shared/errors.js";
import { ownMistake } from "./connection/own-mistake.js";
import { lacksMigration, notMigrated } from "./migrations/not-migrated.js";
import type { Store } from "./store.js";

/** Exists in types only. */
export type Brand = "~countersign";

/** Every verb that returns a promise. */
type Verbs = Omit<Store, "exportAudit" | "observe" | "onDue" | "onTransitions" | Brand>;

/**
 * The same store with errors that contain the operation and the database's error code, and nothing else. Drivers'
 * messages quote statements and parameters, and parameters are people's data.
 */
export function withSafeErrors(store: Verbs): Verbs {
  return new Proxy(store, {
    get(target, name: keyof Verbs & string) {
      const verb: unknown = Reflect.get(target, name);
      if (typeof verb !== "function") return verb;
      return async (...args: unknown[]) => {
        try {
          return await verb.apply(target, args);
        } catch (error) {
          if (CountersignError.isInstance(error)) throw error;
          const mistake = ownMistake(name, error);
          if (mistake) throw mistake;
          const sqlState = sqlStateOf(error);
          // A failure during a migration is one of the migration itself.
          if (name !== "migrate" && lacksMigration(sqlState)) throw notMigrated({ verb: name, sqlState });
          throw new CountersignError(
            "database_failed",
            `The database query of "${name}" failed${sqlState ? ` (SQLSTATE ${sqlState})` : ""}. Check that the database is reachable, then try again; this is safe.`,
            { detail: { verb: name, sqlState } },
          );
        }
      };
    },
  });
}

function sqlStateOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return undefined;
}
