import { randomBytes } from "node:crypto";
import type { Tool } from "@inngest/agent-kit";
import type { Approval } from "../approval/approval.js";
import { approvalDigest, derivedId } from "../approval/digest.js";
import { redact } from "../approval/redact.js";
import { type Refusal, refusalFor } from "../approval/refusal.js";
import { withPatterns } from "../approval/shown.js";
import { storableText } from "../approval/storable-text.js";
import { isPlainObject, toolInputJson } from "../approval/tool-input.js";
import { crashPoint } from "../crash-point.js";
import { conditionHolds } from "../grants/condition-holds.js";
import { defaultSummary, renderSummary } from "../policy/summary.js";
import type { ResolvedTerms } from "../policy/terms.js";
import type { Runtime, Subject } from "../runtime.js";
import type { ProposedCall } from "../store/store.js";
import { policyCall } from "./policy-call.js";
import { shownWords } from "./said.js";
import type { ProposedToolCall } from "./tool-calls.js";
import { inputSchemaJson, toolVersion } from "./tool-version.js";
import { inputProblems } from "./validate-input.js";

/** What became of one call when it was proposed. Small and plain: it is a step's output. */
export type ProposedOutcome =
  | { kind: "allowed" }
  | { kind: "approved"; approvalId: string }
  | { kind: "waits"; approvalId: string }
  | { kind: "refused"; refusal: Refusal };

/** One response's calls, and for whom and with which tools they were made. */
export interface ProposeInput {
  key: string;
  runId: string;
  agentName: string;
  subject: Subject;
  profile: string | undefined;
  tools: ReadonlyMap<string, Tool.Any>;
  calls: readonly ProposedToolCall[];
  /** What the model wrote beside its calls. */
  said: string;
  /** The policy is another than the one that the run began with. */
  policyChanged: boolean;
}

/**
 * Checks every call of a response against its tool's schema and the policy, and writes all but the plainly allowed
 * ones in one transaction. Runs inside a step: its verdicts hold for the whole run.
 */
export async function propose(
  runtime: Runtime,
  input: ProposeInput,
): Promise<{ requestId: string; outcomes: ProposedOutcome[] }> {
  const requestId = derivedId("req", input.runId, input.key);
  const proposed: ProposedCall[] = [];
  const outcomes: ProposedOutcome[] = [];
  // The step may run again after a crash, perhaps under another policy: what it wrote the first time stands.
  const known = await runtime.store.approvalsOf(requestId);
  for (const call of input.calls) {
    const earlier = known.find(({ position }) => position === call.position);
    outcomes.push(earlier ? outcomeOf(earlier) : await review(runtime, input, call, proposed));
  }
  let written = known;
  if (known.length === 0 && proposed.length > 0) {
    const { subject } = input;
    written = await runtime.store.propose(
      {
        requestId,
        wakeUpToken: randomBytes(24).toString("base64url"),
        runId: input.runId,
        agentName: input.agentName,
        tenantId: subject.tenantId,
        threadId: subject.threadId,
        requesterId: subject.requester?.id ?? null,
        said: shownWords(input.said, proposed, runtime.redactPatterns),
        calls: proposed,
        limits: runtime.limits,
        meetsCondition: conditionHolds,
      },
      runtime.signer,
    );
    for (const approval of written) outcomes[approval.position] = outcomeOf(approval);
  }
  // Also where an earlier attempt of this step wrote them, and could not tell: the events have ids, and count once.
  const unasked = written.filter((approval) => outcomeOf(approval).kind === "approved");
  if (unasked.length > 0) crashPoint("before-notified-event");
  await runtime.tellNotified(unasked);
  return { requestId, outcomes: input.policyChanged ? outcomes.map(withChangeNoted) : outcomes };
}

function outcomeOf(approval: Approval): ProposedOutcome {
  const refusal = refusalFor(approval);
  if (refusal) return { kind: "refused", refusal };
  return { kind: runsUnasked(approval) ? "approved" : "waits", approvalId: approval.id };
}

/** Approved without anybody having been asked: by the policy, or by a standing approval. */
function runsUnasked({ verdict, grantId }: Approval): boolean {
  return verdict === "notify" || grantId !== null;
}

/** A call may have run under the policy of before, and no record tells: the refusal must not claim otherwise. */
function withChangeNoted(outcome: ProposedOutcome): ProposedOutcome {
  if (outcome.kind !== "refused") return outcome;
  const message = `${outcome.refusal.message} (The policy changed during this run: if this very call ran before the change, its effect stands.)`;
  return { kind: "refused", refusal: { ...outcome.refusal, message } };
}

async function review(
  runtime: Runtime,
  input: ProposeInput,
  { tool: call, position }: ProposedToolCall,
  proposed: ProposedCall[],
): Promise<ProposedOutcome> {
  const { subject, profile, tools, runId, key } = input;
  const tool = tools.get(call.name);
  if (!tool) return refused(runtime, input, unknownTool(call.name, tools), call.name);
  const checked = toolInputJson(call.input);
  if (!isPlainObject(call.input)) {
    return refused(runtime, input, invalidInput(call.name, checked.ok ? [] : [checked.problem]), call.name);
  }
  const problems = checked.ok ? await inputProblems(tool, JSON.parse(checked.json)) : [checked.problem];
  const seen = policyCall(subject, profile, tool, call.input, () => problems.length === 0);
  const { kind, terms } = runtime.policy.evaluate(seen);
  await noteShadowDifference(runtime, input, kind, seen);
  if (kind === "allow") return { kind: "allowed" };
  if (!checked.ok || problems.length > 0) {
    return refused(runtime, input, invalidInput(call.name, problems), call.name);
  }
  const described = {
    tenantId: subject.tenantId,
    toolName: call.name,
    toolVersion: toolVersion(tool),
    inputJson: checked.json,
    policyVersion: runtime.policy.version,
  };
  const approvalId = derivedId("apr", runId, key, position);
  const redactPatterns = withPatterns(runtime.redactPatterns, terms.redactPatterns);
  const shown = redact(call.input, { redact: terms.redact, redactPatterns });
  proposed.push({
    id: approvalId,
    position,
    toolCallId: storableText(call.id),
    toolName: described.toolName,
    toolVersion: described.toolVersion,
    inputJson: described.inputJson,
    digest: approvalDigest(described),
    policyVersion: described.policyVersion,
    inputSchemaJson: inputSchemaJson(tool),
    policyContext: {
      principal: seen.principal ?? null,
      profile: profile ?? null,
      mcp: seen.mcp ?? null,
      ...(subject.threadRulesGiven.length > 0 && { threadRules: subject.threadRulesGiven }),
    },
    verdict: kind,
    reason: terms.reason,
    summary: (terms.summary && renderSummary(terms.summary, shown)) || defaultSummary(call.name, shown),
    risk: terms.risk,
    approvers: terms.approvers,
    timeoutMs: Math.min(
      terms.timeoutMs ?? runtime.timeoutMs,
      terms.timeoutAtMostMs ?? Number.POSITIVE_INFINITY,
    ),
    terms: {
      decisions: terms.decisions,
      quorum: terms.quorum,
      distinctRoles: terms.distinctRoles,
      denials: terms.denials,
      ladder: terms.ladder,
      editable: terms.editable,
      redact: terms.redact,
      redactPatterns,
      requesterMayNotApprove: terms.requesterMayNotApprove,
      extensions: terms.extensions,
      delegable: terms.delegable,
      grantable: terms.grantable,
      idempotent: terms.idempotent,
      codePreview: await codePreview(terms, call.input),
    },
  });
  return { kind: "waits", approvalId };
}

/** Parsing code is only worth its cost where a rule asks for it. */
async function codePreview(terms: ResolvedTerms, input: unknown) {
  if (!terms.codePreview) return null;
  const { codePreviewOf } = await import("../policy/code-preview.js");
  return codePreviewOf(input, terms.codePreview);
}

async function noteShadowDifference(
  runtime: Runtime,
  { subject, runId }: ProposeInput,
  live: string,
  call: ReturnType<typeof policyCall>,
): Promise<void> {
  const { shadowPolicy, policy, store } = runtime;
  const candidate = shadowPolicy?.evaluate(call).kind;
  if (!shadowPolicy || candidate === live) return;
  await store.recordNote({
    tenantId: subject.tenantId,
    type: "policy.shadow_difference",
    data: {
      toolName: call.toolName,
      runId,
      live,
      candidate,
      policyVersion: policy.version,
      candidateVersion: shadowPolicy.version,
    },
  });
}

async function refused(
  runtime: Runtime,
  { subject, runId }: ProposeInput,
  refusal: Refusal,
  toolName: string,
): Promise<ProposedOutcome> {
  const data = { toolName: storableText(toolName), code: refusal.code, runId };
  await runtime.store.recordNote({ tenantId: subject.tenantId, type: "call.refused", data });
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
