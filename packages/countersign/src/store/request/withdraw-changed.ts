import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import { and, eq } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { audit } from "../audit/audit.js";
import type { Transaction } from "../database.js";
import { approvalFromRow } from "../rows/approval-row.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals } from "../schema.js";

/** A call that ends or is decided holds no decision any more. */
export const noHold = { held: null, heldUntil: null } as const;

/** Ends one call whose row was changed by somebody else; `undefined` if it is not pending any more. */
export async function withdrawChanged(
  session: Transaction,
  approvalId: string,
): Promise<Approval | undefined> {
  const cause: WithdrawalCause = "digest_changed";
  const [row] = await session.db
    .update(approvals)
    .set({ status: "withdrawn", withdrawalCause: cause, finishedAt: session.now, ...noHold })
    .where(and(eq(approvals.id, approvalId), hasStatus("pending")))
    .returning();
  if (!row) return undefined;
  const { tenantId, notify } = row;
  audit(session, { tenantId, approvalId, type: "approval.withdrawn", notify, data: { cause } });
  return approvalFromRow(row);
}
