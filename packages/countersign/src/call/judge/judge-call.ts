import type { Count, Counted } from "@countersign/policy/internal/policy/counts";
import type { Evaluation, Policy } from "@countersign/policy/internal/policy/policy";
import type { PolicyCall } from "@countersign/policy/internal/policy/policy-call";
import { previewFacts } from "@countersign/policy/internal/policy/preview-facts";
import type { RecordedPreview } from "@countersign/policy/internal/previews/recorded-preview";
import type { Approval } from "../../approval/approval.js";
import { rehearsable, rehearse } from "../execute/previews.js";
import type { ReviewRuntime } from "../run/runtime.js";
import type { Subject } from "../run/subject.js";
import { ownVerdict, withOwnVerdict } from "../tool/own-verdict.js";
import { policyCall } from "../tool/policy-call.js";
import { previewOf } from "../tool/with-preview.js";
import type { Tool } from "../tool.js";
import type { ProposedToolCall } from "./tool-calls.js";

/** A call whose arguments fit its tool. */
interface FittingCall {
  tool: Tool;
  call: ProposedToolCall["tool"];
  inputJson: string;
  subject: Subject;
  profile: string | undefined;
  /** The row that an earlier attempt wrote. */
  earlier: Approval | undefined;
}

/** A verdict, and what it rests on. */
export interface JudgedCall extends Evaluation {
  /** The call as the policy saw it. */
  seen: PolicyCall;
  /** The policy's own verdict, before the tool had its say. */
  ofPolicy: Evaluation["kind"];
  preview: RecordedPreview | null;
  /** Whether it may rest on what the preview said. */
  readsEffects: boolean;
}

/** What rules that do not read effects are judged with, before a preview has run. */
const notRehearsed = { effects: [], reversible: null };

/** A call before anything is counted for it. */
export interface JudgeableCall {
  /** What the rules for it count over time. */
  counts: readonly Count[];
  /** The verdict under these numbers. */
  judge(counted: Counted): JudgedCall;
}

/**
 * Prepares the verdict about a call, by the policy and the tool itself. A tool with a preview is rehearsed first, unless
 * nobody is told about the call and no rule reads what it would change.
 */
export async function judgeableCall(
  runtime: ReviewRuntime,
  policy: Policy,
  { tool, call, inputJson, subject, profile, earlier }: FittingCall,
): Promise<JudgeableCall> {
  const given = policyCall(subject, profile, tool, call.input);
  const own = await ownVerdict(tool, call);
  const reads = previewOf(tool) !== undefined && readsEffects(policy, given);
  const counts = policy.countsFor?.(given) ?? [];
  const judgeable = (facts: object, preview: RecordedPreview | null): JudgeableCall => ({
    counts,
    judge(counted) {
      const seen = { ...given, ...facts, ...(counts.length > 0 && { counted }) };
      const evaluation = policy.evaluate(seen);
      const ofPolicy = evaluation.kind;
      return { ...withOwnVerdict(evaluation, own), seen, ofPolicy, preview, readsEffects: reads };
    },
  });
  // People have seen what an earlier attempt found out.
  if (earlier) return judgeable(previewFacts(earlier.terms.preview), earlier.terms.preview);
  if (!previewOf(tool)) return judgeable({}, null);
  if (!reads && counts.length === 0 && !readsEffects(runtime.shadowPolicy, given)) {
    const unrehearsed = judgeable(notRehearsed, null);
    const { kind } = unrehearsed.judge({});
    if (kind === "allow" || kind === "deny") return unrehearsed;
  }
  const at = { moment: "proposal", approvalId: null } as const;
  const preview = await rehearse(runtime, rehearsable(tool), inputJson, subject, at);
  return judgeable(previewFacts(preview), preview);
}

/** Whether a rule about this call's tool may read what the call would change. */
function readsEffects(policy: Policy | undefined, call: PolicyCall): boolean {
  return policy !== undefined && policy.readsEffects?.(call, call.thread?.rules) !== false;
}
