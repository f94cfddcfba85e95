import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { and, eq, isNotNull } from "drizzle-orm";
import type { Session } from "../database.js";
import { viewers } from "../schema.js";

/** A person, and the name by which messages call them. */
interface Named {
  id: string;
  displayName?: string | undefined;
}

/** A name to record with a call. The row does not make its person a viewer, and goes with the call or the person. */
export interface KnownName {
  approvalId: string;
  tenantId: string;
  principalId: string;
  displayName: string;
}

/** The names to record with a call. `undefined` if none of these people has one. */
export function namesOf(
  { tenantId, id: approvalId }: { tenantId: string; id: string },
  people: readonly Named[],
): KnownName[] | undefined {
  const names = people.flatMap(({ id: principalId, displayName }) =>
    displayName === undefined
      ? []
      : [{ approvalId, tenantId, principalId, displayName: storableText(displayName) }],
  );
  return names.length > 0 ? names : undefined;
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
