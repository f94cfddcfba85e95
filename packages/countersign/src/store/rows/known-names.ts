import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { builtOnce, type ValueOf } from "../built-once.js";
import type { Session, Transaction } from "../database.js";
import { viewers } from "../schema.js";

/** A person, and the name by which messages call them. */
interface Named {
  id: string;
  displayName?: string | undefined;
}

/** Records a person's name with a call. The row does not make them a viewer, and goes with the call or the person. */
export function noteName(
  session: Transaction,
  { tenantId, id: approvalId }: { tenantId: string; id: string },
  { id: principalId, displayName }: Named,
): void {
  if (displayName === undefined) return;
  session.send(noting(session, { approvalId, tenantId, principalId, name: storableText(displayName) }));
}

const noting = builtOnce(
  ({ db, now }, value: ValueOf<"approvalId" | "tenantId" | "principalId" | "name">) => {
    const [approvalId, tenantId, principalId] = [
      value("approvalId"),
      value("tenantId"),
      value("principalId"),
    ];
    return db
      .insert(viewers)
      .values({ approvalId, tenantId, principalId, displayName: value("name"), until: now })
      .onConflictDoUpdate({
        target: [viewers.approvalId, viewers.principalId],
        set: { displayName: sql`excluded.display_name` },
        setWhere: sql`${viewers.displayName} is distinct from excluded.display_name`,
      });
  },
);

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
