import { eq, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { relevantTypes } from "../audit/trail-types.js";
import type { Session } from "../database.js";
import { approvals, auditEntries } from "../schema.js";
import type { TrailEntry } from "./trail.js";

/**
 * The entries about an approval of the statement's rows that determine whether a signature still counts, oldest first.
 * Drizzle would write columns without their tables here.
 */
const trail = sql<TrailEntry[]>`coalesce((
  select json_agg(json_build_object('type', entry.type, 'actorId', entry.actor_id,
    'at', floor(extract(epoch from entry.at) * 1000)::bigint, 'data', entry.data) order by entry.position)
  from ${auditEntries} entry where entry.tenant_id = ${approvals}.tenant_id and entry.approval_id = ${approvals}.id
    and entry.type in (${sql.raw(relevantTypes.map((type) => `'${type}'`).join(", "))})
), '[]')`.mapWith((entries) => (typeof entries === "string" ? JSON.parse(entries) : entries));

/** The {@link trail} of an approval. */
export async function trailOf({ db }: Session, { id }: Pick<Approval, "id">): Promise<TrailEntry[]> {
  const [found] = await db.select({ trail }).from(approvals).where(eq(approvals.id, id));
  return found?.trail ?? [];
}
