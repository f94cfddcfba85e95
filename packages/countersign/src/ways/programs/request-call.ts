import { randomUUID } from "node:crypto";
import type { Policy } from "@countersign/policy/internal/policy/policy";
import { requestHumanInputName } from "@countersign/policy/internal/policy/rules/question-rule";
import { distinctChecks } from "@countersign/policy/internal/safety-checks/safety-check";
import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import { storableTextSchema as text } from "@countersign/policy/internal/shared/storable-text";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import type { Approval } from "../../approval/approval.js";
import { externalToolVersion } from "../../approval/external-tool-version.js";
import { approvalMissing } from "../../approval/refusal-text.js";
import { withCheckResults } from "../../call/execute/safety-checks.js";
import { judge } from "../../call/judge/judge.js";
import { proposedCall } from "../../call/judge/proposed-call.js";
import type { Runtime } from "../../call/run/runtime.js";
import type { Counting, Judged } from "../../gate/gate.js";
import { proposeCalls } from "../../gate/propose-calls.js";
import { externalPolicyCall, ofProgram } from "./evaluate-external.js";
import { exactInputJson } from "./exact-input.js";
import { type ExternalCallOutcome, type ExternalCallRequest, isExternalCallOf } from "./external-call.js";
import { outcomeOf } from "./outcome-of-call.js";
import { isSameCall } from "./same-call.js";

const given = z.object({
  toolName: text
    .trim()
    .min(1)
    .max(200)
    .refine((name) => name !== requestHumanInputName, "this name belongs to questions of agents"),
  key: text.min(1).max(200).optional(),
});

/** Evaluates the policy for a call of another program, and asks people if it says so. */
export async function requestCall(
  runtime: Runtime,
  { principal, input, profile, ...named }: ExternalCallRequest,
): Promise<ExternalCallOutcome> {
  if (runtime.marksOnly) {
    throw wrongOption(
      "policy",
      "is missing; calls of programs have no tools to mark, so createCountersign() needs a policy for them: definePolicy({ tools: { send_invoice: ask() } })",
    );
  }
  const parsed = given.safeParse(named);
  const checked = exactInputJson(input, runtime.limits.argumentBytes);
  if (!parsed.success || !checked.ok) {
    const problems = parsed.error ? zodProblems(parsed.error) : [];
    const problem = [...problems, ...(checked.ok ? [] : [`input: ${checked.problem}`])].join("; ");
    throw new CountersignError("invalid_request", `The call cannot be requested: ${problem}`);
  }
  const { toolName, key = randomUUID() } = parsed.data;
  const { tenantId } = principal;
  const requester = { id: principal.id, roles: principal.roles };
  const ids = [tenantId, principal.id, key];
  const requestId = derivedId("req", "external", ...ids);
  const approvalId = derivedId("apr", "external", ...ids);
  const call = { toolName, inputJson: checked.json };
  const [outcome] = await proposeCalls(runtime, {
    requestId,
    tenantId,
    // All calls of one program share this thread id, so the limits count them together and duplicates are found. No
    // chat can have the same id.
    threadId: derivedId("external calls", tenantId, principal.id),
    runId: null,
    appId: null,
    agentName: null,
    requesterId: principal.id,
    requesterName: principal.displayName,
    steps: 0,
    calls: [
      {
        position: 0,
        toolName,
        input,
        isSame: (row) => isSameCall(row, call),
        judge: (policy) =>
          judgeExternal(runtime, policy, { ...call, id: approvalId, input, tenantId, requester, profile }),
      },
    ],
  });
  if (!outcome || outcome.kind === "taken") throw keyTaken();
  if (outcome.kind === "allowed") return { status: "allowed" };
  const { approval } = outcome;
  if (approval) return announced(runtime, await joinedBy(runtime, principal, approval));
  const refusal = outcome.kind === "refused" ? outcome.refusal : approvalMissing(toolName);
  return { status: "refused", approvalId: null, refusal };
}

interface RequestedCall {
  id: string;
  tenantId: string;
  toolName: string;
  inputJson: string;
  input: unknown;
  requester: { id: string; roles: readonly string[] };
  profile: string | undefined;
}

function judgeExternal(runtime: Runtime, policy: Policy, requested: RequestedCall): Judged | Counting {
  const { id, tenantId, toolName, inputJson, input, requester, profile } = requested;
  return judge(policy, externalPolicyCall({ toolName, input, requester, profile }), (evaluation) => {
    const { kind, terms } = ofProgram(evaluation);
    if (kind === "allow") return { kind: "allowed" };
    const describe = () => {
      const described = proposedCall(runtime, terms, {
        id,
        toolName,
        inputJson,
        toolVersion: externalToolVersion,
        policyVersion: policy.version,
        policyContext: { principal: requester, profile: profile ?? null, mcp: null },
        verdict: kind,
        // The program makes exactly the call that it requested, so nobody can change the arguments.
        stored: { decisions: terms.decisions.filter((type) => type !== "edit") },
      });
      const checks = kind === "deny" ? [] : distinctChecks(toolName, terms.checks);
      return withCheckResults(runtime, described, { tenantId, threadId: null, requester }, checks);
    };
    return { kind: "gated", verdict: kind, describe };
  });
}

/** The pending call that a duplicate request joined; otherwise the call itself. */
async function joinedBy({ store }: Runtime, principal: Principal, approval: Approval): Promise<Approval> {
  const { withdrawalCause, duplicateOf, tenantId } = approval;
  if (withdrawalCause !== "duplicate_call" || duplicateOf === null) return approval;
  const twin = await store.getApproval(tenantId, duplicateOf);
  return twin && isExternalCallOf(twin, principal) ? twin : approval;
}

/**
 * Announces the call, and starts its orchestrator. If an earlier request died before it announced the call, this
 * request does it.
 */
async function announced(runtime: Runtime, approval: Approval): Promise<ExternalCallOutcome> {
  const { requestId, status } = approval;
  const calls = status === "proposed" ? await runtime.store.announce(requestId) : [];
  const current = calls.find(({ id }) => id === approval.id) ?? approval;
  if (isOpen(current.status)) await runtime.openRequest(requestId);
  return outcomeOf(runtime, current);
}

function keyTaken(): CountersignError {
  return new CountersignError(
    "approval_id_taken",
    "key: another call already has this key. Nobody was asked; use a new key for each call",
  );
}
