import { sql } from "drizzle-orm";
import type { AuditVerification } from "../../audit/audit-entry.js";
import type { StoredAuditEntry } from "../audit/audit.js";
import type { Session } from "../database.js";
import { auditEntries, stops } from "../schema.js";

type Fault = Extract<AuditVerification, { ok: false }>;

export const stopTypes: readonly string[] = ["stop.engaged", "stop.released"];

/**
 * Compares the stops of a log with its entries about them. Somebody with SQL could release, invent or remove a stop.
 *
 * @param entries The log's entries of {@link stopTypes} up to the position `end`.
 */
export async function verifyStops(
  { db }: Session,
  tenantId: string,
  entries: readonly StoredAuditEntry[],
  end: number,
): Promise<Fault | undefined> {
  const rows = await db
    .select({
      id: stops.id,
      isReleased: sql<boolean>`${stops.releasedAt} is not null`,
      // Rows and entries of one moment: a stop that has changed since is left for the next verification.
      hasChanged: sql<boolean>`exists (select from ${auditEntries} e
        where e.tenant_id = ${tenantId} and e.position > ${end} and e.data->>'stopId' = stops.id)`,
    })
    .from(stops)
    .where(isOfLog(tenantId));
  const entryOf = (type: string, id: string) =>
    entries.find((entry) => entry.type === type && entry.data.stopId === id);
  for (const { id, isReleased, hasChanged } of rows) {
    if (hasChanged) continue;
    if (!entryOf("stop.engaged", id)) return fault(end, `The log has no entry for the engaged stop ${id}`);
    const released = entryOf("stop.released", id);
    if (isReleased && !released) return fault(end, `The log has no entry for the release of the stop ${id}`);
    if (!isReleased && released) {
      return fault(
        released.position,
        `Entry ${released.position} releases the stop ${id}, whose row is engaged`,
      );
    }
  }
  const gone = entries.find(
    ({ type, data: { stopId } }) =>
      type === "stop.engaged" &&
      !entryOf("stop.released", String(stopId)) &&
      !rows.some(({ id }) => id === stopId),
  );
  return gone && fault(gone.position, `Entry ${gone.position} engages a stop whose row is missing`);
}

/** The stops whose entries are in a log. Those for all tenants are in the system's own. */
export function isOfLog(tenantId: string) {
  return sql`coalesce(${stops.tenantId}, '') = ${tenantId}`;
}

function fault(position: number, message: string): Fault {
  return { ok: false, position, problem: "row", message };
}
