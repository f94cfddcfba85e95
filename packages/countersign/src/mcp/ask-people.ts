import { randomBytes } from "node:crypto";
import { refusalOfRequest } from "../agent-hook/execution/stopped-call.js";
import { decisionTerms, proposedCall } from "../agent-hook/review/proposed-call.js";
import type { Proposed } from "../approval/proposed.js";
import {
  approvalMissing,
  deniedByPolicy,
  type Refusal,
  refusalFor,
  refusalWithoutDecision,
  runNearlyFull,
} from "../approval/refusal.js";
import { toolInputJson } from "../approval/tool-input.js";
import { withPatterns } from "../approval/visible-arguments.js";
import { requestHumanInputName } from "../policy/rules/question-rule.js";
import { summaryOf } from "../policy/summary.js";
import { redact } from "../redaction/redact.js";
import { derivedId } from "../shared/canonical-hash.js";
import { isProposedBy, type Proposer } from "../store/request/new-approval.js";
import type { ProposedCall } from "../store/request/request-port.js";
import type { Store } from "../store/store.js";
import type { McpQuestion } from "./elicitation.js";
import type { McpCall } from "./mcp-call.js";

/** A question that was proposed, or why people are not asked. This is a step's output. */
export interface AskedQuestion {
  key: string;
  approvalId: string;
  proposed: Proposed | null;
  refusal: Refusal | null;
}

/**
 * The ids of one round of questions, the same on every replay. People see them. With the installation's secret in them,
 * nobody can test guesses of the call's hidden arguments against them.
 */
export async function idsOfRound(
  { runtime, callId }: { runtime: { store: Pick<Store, "nameSecret"> }; callId: string },
  round: number,
  keys: readonly string[],
) {
  const requestId = derivedId("req", await runtime.store.nameSecret(), "mcp", callId, round);
  return { requestId, approvalIds: keys.map((key) => derivedId("apr", requestId, key)) };
}

/** Writes the questions of a round as one request. The policy decides who may answer each question. */
export async function askPeople(
  call: McpCall,
  round: number,
  questions: readonly McpQuestion[],
  { held }: { held: boolean },
): Promise<AskedQuestion[]> {
  const { runtime, run, subject, server } = call;
  const { requestId, approvalIds } = await idsOfRound(
    call,
    round,
    questions.map(({ key }) => key),
  );
  const proposer: Proposer = {
    requestId,
    runId: run.runId,
    tenantId: subject.tenantId,
    threadId: subject.threadId,
    agentName: call.agentName,
    requesterId: subject.requester?.id ?? null,
  };
  const nobody = (refusal: Refusal) =>
    questions.map(({ key }, index) => ({
      key,
      approvalId: approvalIds[index] ?? "",
      proposed: null,
      refusal,
    }));
  const stopped = await refusalOfRequest(runtime, requestId, {
    ...proposer,
    toolName: requestHumanInputName,
  });
  if (stopped) return nobody(stopped);
  const steps = run.countSteps();
  const isNew = (await runtime.store.approvalsOf(requestId)).length === 0;
  if (isNew && steps >= runtime.limits.stepsPerRun) {
    const full = runNearlyFull(requestHumanInputName, steps);
    await noteRefusal(call, requestHumanInputName, full.code);
    return nobody(full);
  }

  const judged = questions.map((question, position) =>
    judge(call, question, {
      id: approvalIds[position] ?? "",
      position,
      maxTimeoutMs: held ? server.holdMs : undefined,
    }),
  );
  const calls = judged.flatMap(({ proposal }) => proposal ?? []);
  const written = await runtime.store.propose({
    ...proposer,
    appId: runtime.appId,
    requesterName: subject.requesterName,
    parentRunId: run.parentRunId,
    wakeUpToken: randomBytes(24).toString("base64url"),
    limits: runtime.limits,
    calls,
  });
  const asked: AskedQuestion[] = [];
  for (const { key, approvalId, proposal, refusal } of judged) {
    const row = written.find(({ id }) => id === approvalId);
    if (!proposal || !row) {
      if (refusal && isNew) await noteRefusal(call, requestHumanInputName, refusal.code);
      const missing = refusal ?? approvalMissing(requestHumanInputName);
      asked.push({ key, approvalId, proposed: null, refusal: missing });
      continue;
    }
    if (!isProposedBy(proposer, { ...proposal, policyVersion: row.policyVersion }, row)) {
      await runtime.store.withdrawRequest(requestId, "digest_changed");
      return nobody(
        refusalFor({ ...row, status: "withdrawn", withdrawalCause: "digest_changed" }) ??
          approvalMissing(requestHumanInputName),
      );
    }
    if (row.verdict === "deny") {
      const denied = deniedByPolicy(requestHumanInputName, row.reason, approvalId);
      asked.push({ key, approvalId, proposed: null, refusal: denied });
      continue;
    }
    const proposed = {
      digest: row.digest,
      at: row.createdAt.getTime(),
      signed: runtime.signer !== undefined,
    };
    asked.push({ key, approvalId, proposed, refusal: refusalWithoutDecision(row) ?? null });
  }
  return asked;
}

/** Records the refusal of a call or of a question that has no row. */
export function noteRefusal(
  { runtime, subject, run }: McpCall,
  toolName: string,
  code: Refusal["code"],
): Promise<void> {
  const data = { toolName, code, runId: run.runId };
  return runtime.store.recordNote({ tenantId: subject.tenantId, type: "call.refused", data });
}

interface Judged {
  key: string;
  approvalId: string;
  proposal?: ProposedCall;
  refusal?: Refusal;
}

/**
 * Evaluates the policy for a question. The server's annotations say nothing about who may answer, so rules do not see
 * them.
 */
function judge(
  { runtime, subject, profile, server }: McpCall,
  { key, input }: McpQuestion,
  { id, position, maxTimeoutMs }: { id: string; position: number; maxTimeoutMs: number | undefined },
): Judged {
  const { kind, terms } = runtime.policy.evaluate({
    toolName: requestHumanInputName,
    input,
    principal: subject.requester,
    thread: subject.threadId === null ? null : { id: subject.threadId, rules: subject.threadRules },
    profile,
    question: { reason: `The MCP server "${server.name}" asks`, ...server.questions },
  });
  const judged = { key, approvalId: id };
  const checked = toolInputJson(input, runtime.limits.argumentBytes);
  if (!checked.ok) {
    const message = `Nobody was asked: ${checked.problem}`;
    return { ...judged, refusal: { code: "invalid_input", approvalId: null, message } };
  }
  const redactPatterns = withPatterns(runtime.redactPatterns, terms.redactPatterns);
  const proposal = proposedCall(runtime, terms, {
    id,
    position,
    toolCallId: id,
    toolName: requestHumanInputName,
    toolVersion: "mcpElicitation",
    inputJson: checked.json,
    policyContext: { principal: subject.requester, profile: profile ?? null, mcp: { server: server.name } },
    // Nothing but a person's answer answers a question.
    verdict: kind === "manual" ? kind : "deny",
    summary: summaryOf(
      terms.summary ?? "The MCP server {{server}} asks: {{message}}",
      requestHumanInputName,
      redact(input, { redact: terms.redact, redactPatterns }),
    ),
    stored: { ...decisionTerms(terms), decisions: terms.decisions, redactPatterns },
  });
  const timeoutMs = Math.min(proposal.timeoutMs, maxTimeoutMs ?? Number.POSITIVE_INFINITY);
  return { ...judged, proposal: { ...proposal, timeoutMs } };
}
