import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import type { Approval } from "./approval.js";
import { nonDefaultTerms } from "./default-terms.js";

/** All fields of an approval that are fixed when the call is proposed. */
export type DigestSubject = Pick<
  Approval,
  | "id"
  | "requestId"
  | "position"
  | "toolCallId"
  | "runId"
  | "tenantId"
  | "requesterId"
  | "threadId"
  | "agentName"
  | "toolName"
  | "toolVersion"
  | "inputJson"
  | "inputSchemaJson"
  | "policyVersion"
  | "policyContext"
  | "verdict"
  | "proposedRoles"
  | "approvers"
  | "terms"
  | "timeoutMs"
  | "risk"
  | "reason"
  | "summary"
  | "nonce"
>;

/**
 * The digest that a decision must include and that execution verifies. The nonce prevents readers from guessing
 * hidden values and checking the guesses against the digest.
 */
export function approvalDigest(subject: DigestSubject): string {
  return hashCanonical({
    nonce: subject.nonce,
    id: subject.id,
    requestId: subject.requestId,
    position: subject.position,
    toolCallId: subject.toolCallId,
    runId: subject.runId,
    tenantId: subject.tenantId,
    requesterId: subject.requesterId,
    threadId: subject.threadId,
    agentName: subject.agentName,
    toolName: subject.toolName,
    toolVersion: subject.toolVersion,
    input: JSON.parse(subject.inputJson),
    inputSchema: subject.inputSchemaJson,
    policyVersion: subject.policyVersion,
    policyContext: subject.policyContext,
    verdict: subject.verdict,
    approvers: { roles: subject.proposedRoles, ids: subject.approvers.ids },
    terms: nonDefaultTerms(subject.terms),
    timeoutMs: subject.timeoutMs,
    risk: subject.risk,
    reason: subject.reason,
    summary: subject.summary,
  });
}

/**
 * Hash of the call itself, equal for equal calls. Used to find duplicates. It has no nonce, so never show it to
 * people who may not see the arguments.
 */
export function callHash(
  call: Pick<Approval, "tenantId" | "toolName" | "toolVersion" | "inputJson" | "policyVersion">,
): string {
  return hashCanonical({
    tenantId: call.tenantId,
    toolName: call.toolName,
    toolVersion: call.toolVersion,
    input: JSON.parse(call.inputJson),
    policyVersion: call.policyVersion,
  });
}

/**
 * Hash of what a call does, equal for the same tool with the same arguments, whatever its policy and the tool's description are.
 * Used to find what ran before. It has no nonce either.
 */
export function argumentsHash(call: Pick<Approval, "tenantId" | "toolName" | "inputJson">): string {
  return hashCanonical({
    tenantId: call.tenantId,
    toolName: call.toolName,
    input: JSON.parse(call.inputJson),
  });
}
