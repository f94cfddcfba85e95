import { sql } from "drizzle-orm";
import { sqlStateOf } from "./connection/sql-states.js";
import { installation } from "./schema.js";
import type { Transact } from "./transact.js";

/** Milliseconds for which a successful write proves that others would succeed. */
const provenForMs = 10_000;
/**
 * Milliseconds for which a write that found no space proves that others would fail. The probe cannot prove it: it
 * changes a row in place, which takes no space.
 */
const fullForMs = 60_000;

const readOnly = "25006";
const diskFull = "53100";
const noPrivilege = "42501";

/** Finds out whether the database accepts writes. */
export interface WriteProbe {
  /** The SQLSTATE for which writes fail; `undefined` if they succeed. Rejects if the probe itself fails. */
  refusal(): Promise<string | undefined>;
  /** Notes the SQLSTATE of any verb that failed. */
  note(sqlState: string | undefined): void;
}

/** @param now A clock in milliseconds. */
export function createWriteProbe(transact: Transact, now: () => number): WriteProbe {
  let provenUntil = Number.NEGATIVE_INFINITY;
  let fullUntil = Number.NEGATIVE_INFINITY;
  const write = async () => {
    try {
      await transact(({ db }) => db.update(installation).set({ id: sql`${installation.id}` }));
    } catch (error) {
      // A role that may not write to this table may still write to others.
      if (sqlStateOf(error) !== noPrivilege) throw error;
    }
    provenUntil = now() + provenForMs;
  };
  return {
    async refusal() {
      if (now() < fullUntil) return diskFull;
      // Also "on" on a standby.
      const setting = sql<string>`current_setting('transaction_read_only')`;
      const [row] = await transact(({ db }) => db.select({ setting }).from(sql`(values (1)) as one`));
      if (row?.setting === "on") return readOnly;
      if (now() >= provenUntil) await write();
      return undefined;
    },
    note(sqlState) {
      if (sqlState === diskFull) fullUntil = now() + fullForMs;
    },
  };
}
