import { setTimeout as sleep } from "node:timers/promises";
import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { storableTextSchema as text } from "@countersign/policy/internal/shared/storable-text";
import * as z from "zod";
import type { Approval } from "../approval/approval.js";
import { approvalOrError } from "../decision/approval-or-error.js";
import { contradicts } from "../store/evidence/trail.js";
import type { Store } from "../store/store.js";
import {
  inTenant,
  type PendingApprovals,
  type PendingApprovalsRuntime,
  parse,
  statusesOf,
} from "./pending-approvals.js";

const resolutionSchema = z.object({
  approvalId: text.min(1),
  status: z.enum(["approved", "denied"]),
  resolvedBy: text.nullish(),
  roles: z.array(text).optional(),
  ...inTenant,
});

export async function resolvePendingApproval(
  runtime: PendingApprovalsRuntime,
  given: Parameters<PendingApprovals["resolvePendingApproval"]>[0],
): Promise<void> {
  const details = parse(resolutionSchema, given, "The approval cannot be resolved");
  const { approvalId, resolvedBy, status, roles = [], tenantId = runtime.tenantId } = details;
  const { store, decide } = runtime;
  const approval = await store.getApproval(tenantId, approvalId);
  if (!approval) throw new CountersignError("not_found", `Unknown approval "${approvalId}"`);
  if (!resolvedBy) return requireEnded(store, await expiredInTime(store, approval), status);
  const isMade = ({ decision }: Approval) =>
    decision?.decidedBy === resolvedBy && (decision.type === "deny") === (status === "denied");
  // An approval that was withdrawn after its decision must not run.
  if (isMade(approval)) return requireEnded(store, approval, status);
  try {
    await decide({
      approvalId,
      principal: { id: resolvedBy, tenantId, roles },
      type: status === "approved" ? "approve" : "deny",
      digest: approval.digest,
      reason: null,
    });
  } catch (error) {
    if (!CountersignError.isInstance(error) || error.code !== "already_decided") throw error;
    const decided = await store.getApproval(tenantId, approvalId);
    if (!decided || !isMade(decided)) throw error;
    await requireEnded(store, decided, status);
  }
}

/** @throws CountersignError if the approval is still open, or has ended otherwise, by its row or by the log. */
async function requireEnded(store: Store, approval: Approval, as: "approved" | "denied"): Promise<void> {
  if (isOpen(approval.status)) {
    throw new CountersignError(
      "unauthenticated",
      "resolvedBy: is required, because nobody has decided yet: the id of the person who decides. If nobody does, call again once the approval has expired",
      { detail: { expiresAt: approval.expiresAt?.toISOString() ?? null } },
    );
  }
  const isApproved = statusesOf.approved.some((status) => status === approval.status);
  if (isApproved === (as === "approved")) return requireLogged(store, approval);
  if (approval.status === "withdrawn") {
    throw new CountersignError("withdrawn", "The call was withdrawn, so it must not run", {
      detail: { cause: approval.withdrawalCause },
    });
  }
  const outcome = approval.status === "expired" ? "expired" : "already_decided";
  approvalOrError({ outcome, approval, wakeUp: undefined }, { action: "decide", principal: null });
}

/** Somebody with write access could reset a row that was denied, expired or withdrawn. The log only grows. */
async function requireLogged(store: Store, { tenantId, id, status }: Approval): Promise<void> {
  if (status !== "approved" || !contradicts(await store.auditTrail(tenantId, id), status)) return;
  throw new CountersignError(
    "digest_changed",
    "The log says that this approval has ended, so its call must not run",
  );
}

/** A host begins to wait a moment before its approval is saved, so its wait ends a moment before the approval expires. */
const maxMomentMs = 5_000;

/** A saved approval after the moment in which it expires, if that is now. The orchestrator expires calls of agents. */
async function expiredInTime(store: Store, approval: Approval): Promise<Approval> {
  if (approval.status !== "pending" || approval.awaitedEventId === null) return approval;
  for (;;) {
    const { approvals, open, nextDeadlineMs } = await store.peek(approval.requestId, 0);
    if (open === 0 || nextDeadlineMs > maxMomentMs) return approvals[0] ?? approval;
    await sleep(nextDeadlineMs + 1);
  }
}
