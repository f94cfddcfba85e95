import { type CountersignErrorCode, isErrorCode } from "@countersign/policy/internal/shared/errors";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { maySee } from "../../approval/who-decides.js";
import { actedAs, audit } from "../audit/audit.js";
import type { Transaction } from "../database.js";
import type { Attempted, RefusedAttempt } from "../ports/approval-port.js";
import { readApproval } from "../rows/read-approval.js";
import { refusals } from "../schema.js";

/** Whether somebody was refused what they attempted. */
export function isRefusal(result: {
  outcome: string;
  approval?: Approval;
}): result is { outcome: CountersignErrorCode; approval: Approval } {
  return result.approval !== undefined && isErrorCode(result.outcome);
}

/** Returns the result, with an entry in the log if it is a refusal. */
export async function withRefusal<R extends { outcome: string; approval?: Approval }>(
  session: Transaction,
  attempted: Attempted,
  result: R,
): Promise<R> {
  if (isRefusal(result)) await auditRefusal(session, result.approval, attempted, result.outcome);
  return result;
}

/** Logs the 1st, 10th, 100th … repeat of the same refusal: probing is visible, but cannot fill the log. */
const isWritten = (times: number) => /^10*$/.test(String(times));

/** Counts a person's refusals for one call, and logs those that {@link isWritten} selects. */
async function auditRefusal(
  session: Transaction,
  { id: approvalId, tenantId }: Approval,
  { attempt, type: asked, principal, digest }: Attempted,
  code: CountersignErrorCode,
): Promise<void> {
  const { db, now } = session;
  const type = `${attempt}.refused` as const;
  const [counted] = await db
    .insert(refusals)
    .values({
      approvalId,
      tenantId,
      principalId: storableText(principal.id),
      type,
      code,
      times: 1,
      lastAt: now,
    })
    .onConflictDoUpdate({
      target: [refusals.approvalId, refusals.principalId, refusals.type, refusals.code],
      set: { times: sql`least(${refusals.times}::bigint + 1, 2147483647)`, lastAt: sql`excluded.last_at` },
    })
    .returning({ times: refusals.times });
  const times = counted?.times ?? 1;
  audit(session, {
    tenantId,
    approvalId,
    type,
    actorId: principal.id,
    countedOnly: !isWritten(times),
    data: {
      code,
      ...actedAs(principal),
      ...(asked === undefined ? {} : { type: asked }),
      // Anything else that they sent is not saved.
      ...(digest !== undefined && /^[0-9a-f]{64}$/.test(digest) ? { digest } : {}),
      ...(times > 1 ? { times } : {}),
    },
  });
}

/** Records what was refused before it reached the store, such as changes that the policy forbids. */
export async function recordRefusal(session: Transaction, refusal: RefusedAttempt): Promise<void> {
  const { principal, approvalId } = refusal;
  const approval = await readApproval(session, principal.tenantId, approvalId);
  if (approval && maySee(approval, principal)) await auditRefusal(session, approval, refusal, refusal.code);
}
