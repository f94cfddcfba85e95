import { and, gt, isNull, or } from "drizzle-orm";
import type { Session } from "../database.js";
import { grants } from "../schema.js";

/** A grant that is neither revoked, expired nor used up. `live_grants` in read-and-apply.sql has the same. */
export function isLive({ now }: Pick<Session, "now">) {
  return and(
    isNull(grants.revokedAt),
    gt(grants.expiresAt, now),
    or(isNull(grants.usesLeft), gt(grants.usesLeft, 0)),
  );
}
