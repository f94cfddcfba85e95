import { codePreviewOf, type Script } from "@countersign/policy/internal/policy/code-preview-of";
import type { Policy } from "@countersign/policy/internal/policy/policy";
import { storedWithTools } from "@countersign/policy/internal/policy/rules/terms";
import { redact } from "@countersign/policy/internal/redaction/redact";
import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import { pick } from "@countersign/policy/internal/shared/pick";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { tellOnce } from "@countersign/policy/internal/shared/warn-once";
import type { Approval } from "../../approval/approval.js";
import type { Proposed } from "../../approval/proposed.js";
import type { Refusal } from "../../approval/refusal-text.js";
import { countedOf } from "../../counting/call-counts.js";
import type { Allowed, Counting, Judged } from "../../gate/gate.js";
import { withCheckResults } from "../execute/safety-checks.js";
import type { ReviewRuntime } from "../run/runtime.js";
import type { Subject } from "../run/subject.js";
import type { ProposedCard } from "../stream.js";
import { recordedMark } from "../tool/needs-approval.js";
import type { policyCall } from "../tool/policy-call.js";
import { inputSchemaJson, toolVersion } from "../tool/tool-version.js";
import { checkArguments } from "../tool/validate-input.js";
import { checksOfCall } from "../tool/with-checks.js";
import { isUndoable } from "../tool/with-undo.js";
import type { Tool } from "../tool.js";
import { type JudgedCall, judgeableCall } from "./judge-call.js";
import { hidingOf, proposedCall } from "./proposed-call.js";
import { refusalBeforeAsking } from "./refusal-before-asking.js";
import type { ProposedToolCall } from "./tool-calls.js";

/**
 * The outcome of one call's proposal. Small and plain, because it is a step's output: the engine stores it, out of
 * reach of anyone who can change the database.
 */
export type ProposedOutcome =
  /** `call` names the tool and the arguments that were judged. */
  | (Allowed & { call: string })
  | { kind: "approved"; approvalId: string; proposed: Proposed }
  /** `card` is set if the run is streamed. */
  | { kind: "waits"; approvalId: string; proposed: Proposed; card?: ProposedCard }
  | { kind: "refused"; refusal: Refusal };

/** One response's calls, with the subject and the tools. */
export interface ProposeInput {
  requestId: string;
  /** Names the response, the same on every replay. */
  key: string;
  runId: string;
  /** `null` for calls of code without an agent. */
  agentName: string | null;
  subject: Subject;
  profile: string | undefined;
  tools: ReadonlyMap<string, Tool>;
  calls: readonly ProposedToolCall[];
  /** The script that makes the calls, and the object by which it calls tools. */
  script?: Script | undefined;
  /** The text that the model wrote beside its calls. */
  modelText: string;
  /** The run is streamed to the person who asked. */
  streamed: boolean;
}

/**
 * Checks one call against its tool's schema and the policy. A call that an earlier attempt wrote keeps its preview and the
 * results of its safety checks, which people have seen.
 */
export async function reviewCall(
  runtime: ReviewRuntime,
  input: ProposeInput,
  policy: Policy,
  { tool: call, position, earlier }: ProposedToolCall & { earlier: Approval | undefined },
): Promise<Judged | Counting> {
  const { subject, profile, tools } = input;
  const tool = tools.get(call.name);
  if (!tool) return refused(unknownTool(call.name, tools));
  // Before any verdict counts: rules are written for arguments that the tool accepts.
  const checked = await checkArguments(tool, call.input, runtime.limits.argumentBytes);
  if (!checked.ok) return refused(invalidInput(call.name, checked.problems));
  const fitting = { tool, call, inputJson: checked.json, subject, profile, earlier };
  const judgeable = await judgeableCall(runtime, policy, fitting);
  const conclude = (judged: JudgedCall): Judged =>
    judgedCall(runtime, input, { policy, tool, call, position, earlier, json: checked.json }, judged);
  // The first attempt evaluated the shadow policy already.
  if (earlier) return conclude(judgeable.judge(countedOf(earlier.terms.counts)));
  const noteShadow = ({ ofPolicy, seen }: JudgedCall) =>
    noteShadowDifference(runtime, input, policy, ofPolicy, seen);
  if (judgeable.counts.length === 0) {
    const judged = judgeable.judge({});
    await noteShadow(judged);
    return conclude(judged);
  }
  return {
    kind: "counting",
    counts: judgeable.counts,
    conclude(counted) {
      const judged = judgeable.judge(counted);
      const { kind, terms } = judged;
      return { evaluation: { kind, terms }, judged: conclude(judged), settle: () => noteShadow(judged) };
    },
  };
}

interface CallUnderReview {
  policy: Policy;
  tool: Tool;
  call: ProposedToolCall["tool"];
  position: number;
  earlier: Approval | undefined;
  /** The arguments as they are saved. */
  json: string;
}

/** What a verdict means for a call. */
function judgedCall(
  runtime: ReviewRuntime,
  input: ProposeInput,
  { policy, tool, call, position, earlier, json }: CallUnderReview,
  { kind: judged, terms, seen, preview, readsEffects }: JudgedCall,
): Judged {
  const { subject, profile, requestId } = input;
  // What a call would change is found out once, so what rests on it is recorded, and runs once.
  const kind = judged === "allow" && readsEffects ? "notify" : judged;
  if (kind === "allow") {
    noteUnmarked(runtime, tool);
    return { kind: "allowed" };
  }
  const refusal = refusalBeforeAsking(runtime, { kind, terms, subject, tool });
  if (refusal) return refused(refusal);
  const hiding = hidingOf(runtime, terms);
  const marked = recordedMark(tool);
  const describe = async () => {
    const toSave = proposedCall(runtime, terms, {
      id: derivedId("apr", requestId, position),
      position,
      toolCallId: storableText(call.id),
      toolName: call.name,
      toolVersion: toolVersion(tool),
      inputJson: json,
      inputSchemaJson: inputSchemaJson(tool),
      policyVersion: policy.version,
      policyContext: {
        principal: seen.principal ?? null,
        profile: profile ?? null,
        mcp: seen.mcp ?? null,
        ...(marked && { marked }),
        ...(subject.threadRulesGiven.length > 0 && { threadRules: subject.threadRulesGiven }),
      },
      verdict: kind,
      stored: {
        ...pick(terms, storedWithTools),
        undoable: earlier ? earlier.terms.undoable : await isUndoable(runtime, tool),
        preview,
        codePreview:
          (await codePreviewOf(redact(call.input, hiding), terms.codePreview)) ??
          (await previewOfScript(input.script, hiding.redactPatterns)),
      },
    });
    const checks = kind === "deny" ? [] : checksOfCall(tool, terms);
    return withCheckResults(runtime, toSave, subject, checks, earlier?.terms.checks);
  };
  return { kind: "gated", verdict: kind, describe };
}

/** Says once of each tool without a mark that it runs without asking, where nothing but marks could ask. */
function noteUnmarked({ marksOnly, logger, appId, instanceId }: ReviewRuntime, { name }: Tool): void {
  if (!marksOnly) return;
  const message = `The tool "${name}" has no mark, so its calls run without asking anybody. Mark it with needsApproval() if it has effects; a policy with a rule for it ends this message.`;
  tellOnce(logger, `unmarked:${appId}:${instanceId}:${name}`, message, { toolName: name });
}

function refused(refusal: Refusal): Judged {
  return { kind: "refused", refusal };
}

function previewOfScript(script: Script | undefined, redactPatterns: string[]) {
  if (!script) return null;
  const { code, object } = script;
  return codePreviewOf(redact({ code }, { redact: [], redactPatterns }), { field: "code", object });
}

/** Names a call's tool and arguments. */
export function callHash({ name, input }: Pick<ProposedToolCall["tool"], "name" | "input">): string {
  return derivedId("args", name, input);
}

async function noteShadowDifference(
  runtime: ReviewRuntime,
  { subject, runId }: ProposeInput,
  policy: Policy,
  live: string,
  call: ReturnType<typeof policyCall>,
): Promise<void> {
  const { shadowPolicy, store } = runtime;
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

/** A call that is another one on a replay than the one that was judged. */
export function changedSinceReview(name: string): Refusal {
  return {
    code: "approval_missing",
    approvalId: null,
    message: `This call of ${name} is not the one that was reviewed, so it did not run. Developer: the agent's own onResponse hook returned another call on a replay of the run; let it return the same each time, and take what changes from a step.`,
  };
}

/** A call of a tool that the agent does not have. AgentKit would fail the whole run for it. */
export function unknownTool(name: string, tools: ReadonlyMap<string, Tool>): Refusal {
  const known = [...tools.keys()].join(", ") || "none";
  return {
    code: "unknown_tool",
    approvalId: null,
    message: `There is no tool named ${name}, so nothing ran. Available tools: ${known}.`,
  };
}

/** A call whose arguments the tool does not accept. */
export function invalidInput(name: string, problems: readonly string[]): Refusal {
  return {
    code: "invalid_input",
    approvalId: null,
    message: `The arguments of this call of ${name} are not valid, so it did not run: ${problems.join("; ")}. Correct them and call again.`,
  };
}
