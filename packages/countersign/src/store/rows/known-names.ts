import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Session, Transaction } from "../database.js";
import { viewers } from "../schema.js";

/** A person, and the name by which messages call them. */
interface Named {
  id: string;
  displayName?: string | undefined;
}

/** Records a person's name with a call. The row does not make them a viewer, and goes with the call or the person. */
export function noteName(
  { db, now, send }: Transaction,
  { tenantId, id: approvalId }: { tenantId: string; id: string },
  { id: principalId, displayName }: Named,
): void {
  if (displayName === undefined) return;
  const name = storableText(displayName);
  const noting = db
    .insert(viewers)
    .values({ approvalId, tenantId, principalId, displayName: name, until: now })
    .onConflictDoUpdate({
      target: [viewers.approvalId, viewers.principalId],
      set: { displayName: name },
      setWhere: sql`${viewers.displayName} is distinct from ${name}`,
    });
  send(noting.execute());
}

/** The names that were recorded with a call, by the people's ids. */
export async function knownNames(
  { db }: Session,
  tenantId: string,
  approvalId: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .select({ id: viewers.principalId, name: viewers.displayName })
    .from(viewers)
    .where(
      and(eq(viewers.approvalId, approvalId), eq(viewers.tenantId, tenantId), isNotNull(viewers.displayName)),
    );
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])));
}
