import type { Tool } from "@inngest/agent-kit";
import type { Approval } from "../../approval/approval.js";
import type { Evaluation, Policy } from "../../policy/policy.js";
import type { PolicyCall } from "../../policy/policy-call.js";
import { previewFacts } from "../../policy/preview-facts.js";
import type { RecordedPreview } from "../../previews/recorded-preview.js";
import { readsEffects, rehearsable, rehearse } from "../execution/previews.js";
import type { ReviewRuntime } from "../run/runtime.js";
import type { Subject } from "../run/subject.js";
import { withOwnVerdict } from "../tool/own-verdict.js";
import { policyCall } from "../tool/policy-call.js";
import { previewOf } from "../tool/with-preview.js";
import type { ProposedToolCall } from "./tool-calls.js";

/** A call whose arguments fit its tool. */
interface FittingCall {
  tool: Tool.Any;
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
}

/** What rules that do not read effects are judged with, before a preview has run. */
const notRehearsed = { effects: [], reversible: null };

/**
 * The verdict about a call, by the policy and the tool itself. A tool with a preview is rehearsed first, unless nobody is
 * told about the call and no rule reads what it would change.
 */
export async function judgeCall(
  runtime: ReviewRuntime,
  policy: Policy,
  { tool, call, inputJson, subject, profile, earlier }: FittingCall,
): Promise<JudgedCall> {
  const given = policyCall(subject, profile, tool, call.input);
  const judge = async (facts: object, preview: RecordedPreview | null): Promise<JudgedCall> => {
    const seen = { ...given, ...facts };
    const evaluation = policy.evaluate(seen);
    const own = await withOwnVerdict(tool, evaluation, call);
    return { ...own, seen, ofPolicy: evaluation.kind, preview };
  };
  // People have seen what an earlier attempt found out.
  if (earlier) return judge(previewFacts(earlier.terms.preview), earlier.terms.preview);
  if (!previewOf(tool)) return judge({}, null);
  if (!readsEffects(policy, given) && !readsEffects(runtime.shadowPolicy, given)) {
    const judged = await judge(notRehearsed, null);
    if (judged.kind === "allow" || judged.kind === "deny") return judged;
  }
  const preview = await rehearse(runtime, rehearsable(tool), inputJson, subject, {
    moment: "proposal",
    approvalId: null,
  });
  return judge(previewFacts(preview), preview);
}
