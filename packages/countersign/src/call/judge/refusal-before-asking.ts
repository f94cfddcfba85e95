import type { Evaluation } from "@countersign/policy/internal/policy/policy";
import type { Refusal } from "../../approval/refusal-text.js";
import { howToDeclareDurable } from "../run/plain-handler.js";
import type { ReviewRuntime } from "../run/runtime.js";
import type { Subject } from "../run/subject.js";
import { handlerKind } from "../tool/handler-kind.js";
import { toolVersion } from "../tool/tool-version.js";
import type { Tool } from "../tool.js";

interface GatedCall extends Evaluation {
  subject: Subject;
  tool: Tool;
}

/** Why a gated call must be refused before anybody is asked: a developer's mistake that approval cannot fix. */
export function refusalBeforeAsking(
  runtime: ReviewRuntime,
  { kind, terms, subject, tool }: GatedCall,
): Refusal | undefined {
  const { name } = tool;
  const refusal = (code: Refusal["code"], message: string) => ({ code, approvalId: null, message });
  if (terms.requesterMayNotApprove && !subject.requester && (kind === "ask" || kind === "manual")) {
    return refusal(
      "no_requester",
      `This call of ${name} did not run and nobody was asked: its requester may not approve it, and the run has no requester. Developer: name requester: { id } in the context of createCountersign(), gate() or applyProfile().`,
    );
  }
  const runs = kind === "ask" || kind === "notify";
  if (
    runs &&
    runtime.stepUsers.has(toolVersion(tool)) &&
    handlerKind(tool, runtime.durableTools) !== "durable"
  ) {
    return refusal(
      "step_in_plain_handler",
      `This call of ${name} did not run and nobody was asked: an earlier call showed that its handler needs steps, but the tool is not durable. Developer: declare the tool durable. ${howToDeclareDurable(name)}`,
    );
  }
  return undefined;
}
