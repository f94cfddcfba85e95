import { isStorable } from "@countersign/policy/internal/shared/storable-text";
import { eq, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";

/** True for the row with this id. No row has an id that the database cannot store, and it refuses to compare with one. */
export function hasId(column: AnyPgColumn, id: string): SQL {
  return isStorable(id) ? eq(column, id) : sql`false`;
}
