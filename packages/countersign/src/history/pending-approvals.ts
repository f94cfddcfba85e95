import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Approval } from "../approval/approval.js";
import { approvalDigest, derivedId } from "../approval/digest.js";
import { plainTerms } from "../approval/plain-terms.js";
import { redact } from "../approval/redact.js";
import { refusalFor } from "../approval/refusal.js";
import { shown, withPatterns } from "../approval/shown.js";
import { isPlainObject, toolInputJson } from "../approval/tool-input.js";
import { CountersignError } from "../errors.js";
import { defaultSummary } from "../policy/summary.js";
import type { Runtime } from "../runtime.js";

/** An approval as the extended HistoryConfig has it. `eventIdToWaitFor` names what to wait for; it is no secret. */
export interface PendingApproval {
  approvalId: string;
  threadId: string;
  eventIdToWaitFor: string;
  toolName: string;
  toolInput: Record<string, unknown>;
  toolCallId: string;
  status: "pending" | "approved" | "denied";
  createdAt: Date;
  expiresAt?: Date;
}

/** The three methods by which HistoryConfig is extended for approvals. */
export interface PendingApprovals {
  /**
   * Writes down an approval that the host itself waits for; a repeat with the same id is a no-op.
   * @throws CountersignError `call_refused` where too many calls wait for people, or the same one does.
   */
  savePendingApproval(details: PendingApproval): Promise<void>;
  /** Records a decision made by `resolvedBy`, whose identity the host has verified. */
  resolvePendingApproval(details: {
    approvalId: string;
    status: "approved" | "denied";
    resolvedAt: Date;
    resolvedBy?: string;
    /** The roles that the host has verified; a call that asks for a role cannot be decided without it. */
    roles?: string[];
  }): Promise<void>;
  /** Approvals of a thread or of a user's own runs, oldest first, without what is hidden; at most 500. */
  listPendingApprovals(filters: {
    threadId?: string;
    userId?: string;
    status?: "pending" | "approved" | "denied";
  }): Promise<PendingApproval[]>;
}

const detailsSchema = z.object({
  approvalId: z.string().min(1),
  threadId: z.string().min(1),
  eventIdToWaitFor: z.string().min(1),
  toolName: z.string().min(1),
  toolCallId: z.string(),
  status: z.literal(
    "pending",
    'only "pending" approvals can be saved; decide them with resolvePendingApproval',
  ),
  createdAt: z.date(),
  expiresAt: z.date().optional(),
});

export async function savePendingApproval(runtime: Runtime, details: PendingApproval): Promise<void> {
  const parsed = detailsSchema.safeParse(details);
  const input = toolInputJson(details.toolInput);
  if (!parsed.success || !input.ok) {
    const problems = parsed.success
      ? []
      : parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    if (!input.ok) problems.push(`toolInput: ${input.problem}`);
    throw new CountersignError("invalid_request", `The approval cannot be saved: ${problems.join("; ")}`);
  }
  const { approvalId, threadId, toolName, toolCallId, createdAt, expiresAt } = parsed.data;
  const requestId = derivedId("req", "saved", approvalId);
  const terms = { ...plainTerms, redactPatterns: withPatterns(runtime.redactPatterns) };
  const subject = {
    tenantId: runtime.tenantId,
    toolName,
    toolVersion: "saved-by-host",
    inputJson: input.json,
    policyVersion: runtime.policy.version,
  };
  const written = await runtime.store.propose({
    requestId,
    wakeUpToken: randomBytes(24).toString("base64url"),
    tenantId: runtime.tenantId,
    threadId,
    runId: null,
    agentName: null,
    requesterId: null,
    limits: runtime.limits,
    calls: [
      {
        id: approvalId,
        position: 0,
        toolCallId,
        toolName,
        toolVersion: subject.toolVersion,
        inputJson: subject.inputJson,
        digest: approvalDigest(subject),
        policyVersion: subject.policyVersion,
        inputSchemaJson: null,
        policyContext: { principal: null, profile: null, mcp: null },
        verdict: "ask",
        summary: defaultSummary(toolName, redact(details.toolInput, terms)),
        risk: "medium",
        terms,
        reason: null,
        approvers: { roles: [], ids: [] },
        timeoutMs: expiresAt ? Math.max(1000, expiresAt.getTime() - createdAt.getTime()) : runtime.timeoutMs,
      },
    ],
  });
  const saved = written.find(({ id }) => id === approvalId);
  const refusal = saved?.withdrawalCause && refusalFor(saved);
  if (refusal) {
    throw new CountersignError("call_refused", refusal.message, {
      detail: { refusal: refusal.code, approvalId: refusal.approvalId },
    });
  }
  await runtime.store.announce(requestId);
}

export async function resolvePendingApproval(
  runtime: Runtime,
  details: Parameters<PendingApprovals["resolvePendingApproval"]>[0],
): Promise<void> {
  const { approvalId, resolvedBy, status } = details;
  if (!resolvedBy) {
    throw new CountersignError(
      "unauthenticated",
      "resolvedBy: a decision needs the id of the person who made it",
    );
  }
  const approval = await runtime.store.getApproval(runtime.tenantId, approvalId);
  if (!approval) throw new CountersignError("not_found", `There is no approval "${approvalId}"`);
  await runtime.decide({
    approvalId,
    principal: { id: resolvedBy, tenantId: runtime.tenantId, roles: details.roles ?? [] },
    type: status === "approved" ? "approve" : "deny",
    digest: approval.digest,
    reason: null,
  });
}

const statusesOf = {
  pending: ["pending"],
  approved: ["approved", "responded", "executing", "executed", "failed", "interrupted"],
  denied: ["denied"],
} as const;

export async function listPendingApprovals(
  runtime: Runtime,
  filters: Parameters<PendingApprovals["listPendingApprovals"]>[0],
): Promise<PendingApproval[]> {
  const approvals = await runtime.store.listApprovals({
    tenantId: runtime.tenantId,
    statuses: statusesOf[filters.status ?? "pending"],
    ...(filters.threadId === undefined ? {} : { threadId: filters.threadId }),
    ...(filters.userId === undefined ? {} : { requesterId: filters.userId }),
    limit: 500,
  });
  return approvals.map((approval) => pendingApproval(approval, filters.status ?? "pending"));
}

function pendingApproval(approval: Approval, status: PendingApproval["status"]): PendingApproval {
  const { input } = shown(approval, { sink: "channel" });
  return {
    approvalId: approval.id,
    threadId: approval.threadId ?? "",
    eventIdToWaitFor: approval.requestId,
    toolName: approval.toolName,
    toolInput: isPlainObject(input) ? input : {},
    toolCallId: approval.toolCallId,
    status,
    createdAt: approval.createdAt,
    ...(approval.expiresAt ? { expiresAt: approval.expiresAt } : {}),
  };
}
