import { and, eq, sql } from "drizzle-orm";
import type { Approval } from "../approval/approval.js";
import { storableText } from "../approval/storable-text.js";
import type { CountersignErrorCode } from "../errors.js";
import type { Principal } from "../principal.js";
import { actedAs, audit } from "./audit.js";
import type { Transaction } from "./database.js";
import { lockApproval } from "./locked-approval.js";
import { auditEntries } from "./schema.js";

/** What a person tried; the entry about its refusal is called after it. */
export type Attempt = "decision" | "assignment" | "extension" | "resolution";

/** The codes of the API for what the verbs answer. An outcome that is not here is no refusal, or names nothing. */
const codes: Readonly<Record<string, (approval: Approval) => CountersignErrorCode>> = {
  forbidden: () => "forbidden",
  self_approval: () => "self_approval",
  requester_may_not: () => "self_approval",
  not_allowed: () => "decision_not_allowed",
  not_open: () => "not_open",
  digest_mismatch: () => "digest_mismatch",
  expired: () => "expired",
  lost: ({ decision }) => (decision ? "already_decided" : "withdrawn"),
  out_of_range: () => "invalid_extension",
  used_up: () => "no_extension_left",
  not_interrupted: () => "not_interrupted",
  already_resolved: () => "already_resolved",
  no_rerun: () => "no_rerun",
};

export interface Attempted {
  attempt: Attempt;
  /** What they asked for, such as `approve`. */
  type?: string;
  principal: Principal;
  /** The digest that they named. */
  digest?: string;
}

/** What somebody was refused, and by which error. */
export interface Refusal extends Attempted {
  approvalId: string;
  code: CountersignErrorCode;
}

/** The same answer, with an entry in the log where it is a refusal. */
export async function withRefusal<R extends { outcome: string; approval?: Approval }>(
  session: Transaction,
  attempted: Attempted,
  result: R,
): Promise<R> {
  const { outcome, approval } = result;
  const code = approval && codes[outcome]?.(approval);
  if (approval && code) await auditRefusal(session, approval, attempted, code);
  return result;
}

/**
 * Writes down that somebody was refused. The same refusal of the same person about the same call is written once, so
 * that nobody fills the log by asking again; where no lock is held, two of the same moment may both be written.
 */
async function auditRefusal(
  session: Transaction,
  { id: approvalId, tenantId }: Approval,
  { attempt, type, principal, digest }: Attempted,
  code: CountersignErrorCode,
): Promise<void> {
  const entry = `${attempt}.refused`;
  const [before] = await session.db
    .select({ position: auditEntries.position })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.tenantId, tenantId),
        eq(auditEntries.approvalId, approvalId),
        eq(auditEntries.type, entry),
        eq(auditEntries.actorId, storableText(principal.id)),
        sql`${auditEntries.data}->>'code' = ${code}`,
      ),
    )
    .limit(1);
  if (before) return;
  audit(session, {
    tenantId,
    approvalId,
    type: entry,
    actorId: principal.id,
    data: {
      code,
      ...actedAs(principal),
      ...(type === undefined ? {} : { type }),
      // Whatever else they sent is not ours to keep.
      ...(digest !== undefined && /^[0-9a-f]{64}$/.test(digest) ? { digest } : {}),
    },
  });
}

/** Writes down what was refused before the store was asked, such as changes that the policy forbids. */
export async function recordRefusal(session: Transaction, refusal: Refusal): Promise<void> {
  const locked = await lockApproval(session, refusal.principal, refusal.approvalId);
  if (locked) await auditRefusal(session, locked.approval, refusal, refusal.code);
}
