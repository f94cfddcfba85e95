import { randomBytes } from "node:crypto";
import type { Tool } from "@inngest/agent-kit";
import ms, { type StringValue } from "ms";
import { approvalDigest, derivedId } from "../approval/digest.js";
import type { Refusal } from "../approval/refusal.js";
import { refusalFor } from "../approval/refusal.js";
import { toolInputJson } from "../approval/tool-input.js";
import type { Runtime, Subject } from "../runtime.js";
import type { ProposedCall } from "../store/store.js";
import type { ProposedToolCall } from "./tool-calls.js";
import { toolVersion } from "./tool-version.js";
import { inputProblems } from "./validate-input.js";

/** What became of one call when it was proposed. Small and plain: it is a step's output. */
export type ProposedOutcome =
  | { kind: "allowed" }
  | { kind: "waits"; approvalId: string }
  | { kind: "refused"; refusal: Refusal };

export interface ProposeInput {
  key: string;
  runId: string;
  agentName: string;
  subject: Subject;
  tools: ReadonlyMap<string, Tool.Any>;
  calls: readonly ProposedToolCall[];
}

/**
 * Checks every call of a response against its tool's schema and the policy, and writes those that need a person,
 * or that the policy forbids, in one transaction. Runs inside a step: its verdicts hold for the whole run.
 */
export async function propose(
  runtime: Runtime,
  input: ProposeInput,
): Promise<{ requestId: string; outcomes: ProposedOutcome[] }> {
  const requestId = derivedId("req", input.runId, input.key);
  const proposed: ProposedCall[] = [];
  const outcomes: ProposedOutcome[] = [];
  for (const call of input.calls) {
    const outcome = await review(runtime, input, call, proposed);
    outcomes.push(outcome);
    if (outcome.kind === "refused" && !outcome.refusal.approvalId) {
      const { tenantId } = input.subject;
      const { code } = outcome.refusal;
      await runtime.store.recordRefusal({ tenantId, toolName: call.tool.name, code, runId: input.runId });
    }
  }
  if (proposed.length > 0) {
    const approvals = await runtime.store.propose({
      requestId,
      wakeUpToken: randomBytes(24).toString("base64url"),
      runId: input.runId,
      agentName: input.agentName,
      ...input.subject,
      calls: proposed,
    });
    for (const approval of approvals) {
      const refusal = refusalFor(approval);
      if (refusal) outcomes[approval.position] = { kind: "refused", refusal };
    }
  }
  return { requestId, outcomes };
}

async function review(
  runtime: Runtime,
  input: ProposeInput,
  { tool: call, position }: ProposedToolCall,
  proposed: ProposedCall[],
): Promise<ProposedOutcome> {
  const tool = input.tools.get(call.name);
  if (!tool) return refused(unknownTool(call.name, input.tools));
  const verdict = runtime.policy.evaluate({ toolName: call.name, input: call.input });
  if (verdict.kind === "allow") return { kind: "allowed" };
  const checked = toolInputJson(call.input);
  const problems = checked.ok ? await inputProblems(tool, call.input) : [checked.problem];
  if (!checked.ok || problems.length > 0) return refused(invalidInput(call.name, problems));
  const described = {
    tenantId: input.subject.tenantId,
    toolName: call.name,
    toolVersion: toolVersion(tool),
    inputJson: checked.json,
    policyVersion: runtime.policy.version,
  };
  const approvalId = derivedId("apr", input.runId, input.key, position);
  proposed.push({
    id: approvalId,
    position,
    toolCallId: call.id,
    toolName: described.toolName,
    toolVersion: described.toolVersion,
    inputJson: described.inputJson,
    digest: approvalDigest(described),
    policyVersion: described.policyVersion,
    verdict: verdict.kind,
    reason: verdict.reason ?? null,
    approvers: verdict.kind === "ask" ? verdict.approvers : { roles: [], ids: [] },
    timeoutMs:
      verdict.kind === "ask" && verdict.timeout ? ms(verdict.timeout as StringValue) : runtime.timeoutMs,
  });
  return { kind: "waits", approvalId };
}

function refused(refusal: Refusal): ProposedOutcome {
  return { kind: "refused", refusal };
}

/** A call of a tool that the agent does not have; AgentKit would fail the whole run for it. */
export function unknownTool(name: string, tools: ReadonlyMap<string, Tool.Any>): Refusal {
  const known = [...tools.keys()].join(", ") || "none";
  return {
    code: "unknown_tool",
    approvalId: null,
    message: `There is no tool named ${name}, so nothing ran. The tools are: ${known}.`,
  };
}

function invalidInput(name: string, problems: readonly string[]): Refusal {
  return {
    code: "invalid_input",
    approvalId: null,
    message: `The arguments of this call of ${name} are not valid, so it did not run: ${problems.join("; ")}. Correct them and call again.`,
  };
}
