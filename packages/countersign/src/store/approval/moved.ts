import { statusesBefore } from "@countersign/policy/internal/shared/approval-status";
import type { Approval } from "../../approval/approval.js";
import { saltedHash } from "../../evidence/salted-hash.js";
import type { CallSeen } from "../call-seen.js";
import type { CallChange, ChangedCall } from "../changes.js";
import type { NewAuditEntry } from "../database.js";
import { approvalFromRow } from "../rows/approval-row.js";

type MovedTo = "executing" | "executed" | "failed" | "interrupted" | "withdrawn" | "expired";

type Written = Pick<
  ChangedCall,
  "outcomeJson" | "outcomeToken" | "handlerKind" | "startedBy" | "withdrawalCause"
>;

/** A transition of a call that was read, with its entry for the log, and the call afterwards. */
export function moved(
  { row, version, now }: Pick<CallSeen, "row" | "version" | "now">,
  to: MovedTo,
  written: Written = {},
  data: object = {},
): { change: CallChange; entry: NewAuditEntry; approval: Approval } {
  if (!statusesBefore(to).includes(row.status))
    throw new Error(`A call that is ${row.status} cannot become ${to}`);
  const set = { ...written, status: to, [to === "executing" ? "startedAt" : "finishedAt"]: now };
  return {
    change: { id: row.id, version, set },
    entry: entryOfMove(row, to, written, data),
    approval: approvalFromRow({ ...row, ...set }),
  };
}

/** The entry for the log about a transition. */
export function entryOfMove(
  call: Pick<Approval, "id" | "tenantId" | "digest" | "notify" | "nonce">,
  to: MovedTo,
  { withdrawalCause: cause, outcomeJson }: Written = {},
  data: object = {},
): NewAuditEntry {
  const { id: approvalId, tenantId, digest, notify } = call;
  return {
    tenantId,
    approvalId,
    type: `approval.${to}`,
    notify,
    data: {
      digest,
      ...(cause ? { cause } : {}),
      ...(outcomeJson === undefined ? {} : { outcomeHash: saltedHash(call, outcomeJson) }),
      ...data,
    },
  };
}
