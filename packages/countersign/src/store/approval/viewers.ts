import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { and, eq, sql } from "drizzle-orm";
import { mayDecide, maySee } from "../../approval/who-decides.js";
import { viewingNotice } from "../connection/change-feed.js";
import type { Transaction } from "../database.js";
import type { ViewingInput, ViewingResult } from "../ports/approval-port.js";
import { readApproval } from "../rows/read-approval.js";
import { viewers } from "../schema.js";

/** Seconds after which a viewer without a heartbeat expires. */
const lookSeconds = 60;

/**
 * Records that somebody has opened or closed a call, so that others can leave it to them. It does not prevent others
 * from deciding, and expires after a minute. It is not a decision, so it is not in the audit log.
 */
export async function setViewing(session: Transaction, input: ViewingInput): Promise<ViewingResult> {
  const { db, now } = session;
  const { principal, approvalId, active } = input;
  const approval = await readApproval(session, principal.tenantId, approvalId);
  if (!approval || !maySee(approval, principal)) return { outcome: "not_found" };
  if (!mayDecide(approval, principal)) return { outcome: "forbidden", approval };
  if (active && approval.status === "proposed") return { outcome: "not_open", approval };
  // The page does not know yet that the call is closed. There is nothing left to view, and the response shows the
  // outcome.
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
    // The row stays for the person's name.
    await db
      .update(viewers)
      .set({ until: now })
      .where(and(eq(viewers.approvalId, approvalId), eq(viewers.principalId, principalId)));
  }
  // Other people are not notified of a repeated heartbeat.
  const already = approval.viewers.some((viewer) => viewer.principalId === principalId);
  if (already !== active) session.notices.add(viewingNotice(approval.tenantId, approvalId));
  return {
    outcome: "noted",
    approval: (await readApproval(session, principal.tenantId, approvalId)) ?? approval,
  };
}
