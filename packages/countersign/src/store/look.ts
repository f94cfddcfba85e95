import { and, eq, lte, or, sql } from "drizzle-orm";
import { storableText } from "../approval/storable-text.js";
import { mayDecide, maySee } from "../approval/who-decides.js";
import { noticeOfViewing } from "./change-feed.js";
import type { Transaction } from "./database.js";
import { readApproval } from "./read-approval.js";
import { viewers } from "./schema.js";
import type { LookInput, LookResult } from "./store.js";

/** Seconds after which somebody who does not say so again no longer counts as looking. */
const lookSeconds = 60;

/**
 * Notes that somebody has a call open, or no longer has, so that others can leave it to them. It binds nobody and
 * is gone in a minute; it is no decision, and so the audit log does not tell of it.
 */
export async function look(session: Transaction, input: LookInput): Promise<LookResult> {
  const { db, now } = session;
  const { principal, approvalId, active } = input;
  const approval = await readApproval(session, principal.tenantId, approvalId);
  if (!approval || !maySee(approval, principal)) return { outcome: "not_found" };
  if (!mayDecide(approval, principal)) return { outcome: "forbidden", approval };
  if (active && approval.status === "proposed") return { outcome: "not_open", approval };
  // A page says so before the news reaches it: there is nothing left to look after, and the answer says why.
  if (active && approval.status !== "pending") return { outcome: "noted", approval };
  const { id: principalId, displayName } = principal;
  if (active) {
    const seen = {
      displayName: displayName === undefined ? null : storableText(displayName),
      until: sql<Date>`${now} + ${lookSeconds} * interval '1 second'`,
    };
    await db
      .insert(viewers)
      .values({ approvalId, tenantId: approval.tenantId, principalId, ...seen })
      .onConflictDoUpdate({ target: [viewers.approvalId, viewers.principalId], set: seen });
  } else {
    await db
      .delete(viewers)
      .where(
        and(
          eq(viewers.approvalId, approvalId),
          or(eq(viewers.principalId, principalId), lte(viewers.until, now)),
        ),
      );
  }
  // Who says again that they are looking tells nobody anything new.
  const already = approval.viewers.some((viewer) => viewer.principalId === principalId);
  if (already !== active) await db.execute(sql`select ${noticeOfViewing(approval.tenantId, approvalId)}`);
  return {
    outcome: "noted",
    approval: (await readApproval(session, principal.tenantId, approvalId)) ?? approval,
  };
}
