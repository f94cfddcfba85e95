import type { Asking } from "../../gate/gate.js";
import type { InngestRun } from "../run/inngest-run.js";
import type { ReviewRuntime } from "../run/runtime.js";
import type { Subject } from "../run/subject.js";

/** Who asks: a run, for its subject. */
export function askedBy(
  { appId }: Pick<ReviewRuntime, "appId">,
  { runId, parentRunId, countSteps }: Pick<InngestRun, "runId" | "parentRunId" | "countSteps">,
  { tenantId, threadId, requester, requesterName }: Omit<Subject, "threadRules" | "threadRulesGiven">,
): Omit<Asking, "requestId" | "agentName" | "calls"> {
  return {
    appId,
    runId,
    parentRunId,
    steps: countSteps(),
    tenantId,
    threadId,
    requesterId: requester?.id ?? null,
    requesterName,
  };
}
