import { lt } from "drizzle-orm";
import { publishedTypes } from "../../audit/published-types.js";
import type { Session } from "../database.js";
import type { PublishedTransition, Unpublished } from "../ports/audit-port.js";
import { auditHeads } from "../schema.js";
import type { Judge, Reading } from "../verb.js";

/** Tenants whose logs have grown since their events were last sent. */
export async function unpublishedTenants({ db }: Session, limit: number): Promise<string[]> {
  const rows = await db
    .select({ tenantId: auditHeads.tenantId })
    .from(auditHeads)
    .where(lt(auditHeads.publishedPosition, auditHeads.position))
    .limit(limit);
  return rows.map(({ tenantId }) => tenantId);
}

/**
 * The oldest transitions of a tenant whose events may not have been sent. The writers of a log take turns, so its
 * positions appear in order and without gaps. Therefore no further entry can appear at or below `upTo`.
 */
export function readUnpublished(judging: Judge, tenantId: string, limit: number): Promise<Unpublished> {
  return judging(unpublishedReading(tenantId, limit), (result) => ({ result }));
}

/** Records that the events up to a position were sent. Never moves back. */
export function markPublished(judging: Judge, tenantId: string, upTo: number): Promise<void> {
  const changes = { tenantId, publishedUpTo: upTo, approvals: [], audited: [] };
  const nothing = unpublishedReading(tenantId, 0);
  return judging(nothing, () => ({ result: undefined, changes }), { changes, written: () => undefined });
}

type JsonTransition = Omit<PublishedTransition, "at" | "decidedAt"> & {
  at: number;
  decidedAt: number | null;
};

function unpublishedReading(tenantId: string, limit: number): Reading<Unpublished> {
  return {
    kind: "unpublished",
    id: JSON.stringify({ tenantId, limit, types: publishedTypes }),
    parse(json) {
      const { head, transitions } = json as { head: number | null; transitions: JsonTransition[] };
      const last = transitions.at(-1);
      return {
        upTo: last && transitions.length === limit ? last.position : head,
        transitions: transitions.map(({ at, decidedAt, ...transition }) => ({
          ...transition,
          at: new Date(at),
          decidedAt: decidedAt === null ? null : new Date(decidedAt),
        })),
      };
    },
  };
}
