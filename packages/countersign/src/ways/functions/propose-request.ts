import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import type { Proposed } from "../../approval/proposed.js";
import { approvalMissing, type Refusal } from "../../approval/refusal-text.js";
import { rehearse } from "../../call/execute/previews.js";
import { askedBy } from "../../call/judge/asked-by.js";
import { proposedCall } from "../../call/judge/proposed-call.js";
import type { InngestRun } from "../../call/run/inngest-run.js";
import type { Runtime } from "../../call/run/runtime.js";
import { proposeCalls } from "../../gate/propose-calls.js";
import type { AskedFor } from "./asked-for.js";

/** The result of the proposing step: somebody was asked, or the request was refused. */
type ProposedRequest = { requestId: string; approvalId: string } & (
  | { proposed: Proposed; refusal: null }
  | { proposed: null; refusal: Refusal }
);

/** Writes a plain function's request as a call and returns its digest to the run. */
export async function proposeRequest(
  runtime: Runtime,
  asked: AskedFor,
  requestId: string,
  run: Pick<InngestRun, "runId" | "parentRunId" | "countSteps">,
): Promise<ProposedRequest> {
  const { action: toolName, requester, terms } = asked;
  const approvalId = derivedId("apr", requestId);
  const [outcome] = await proposeCalls(runtime, {
    ...askedBy(runtime, run, asked),
    requestId,
    agentName: null,
    calls: [
      {
        position: 0,
        toolName,
        input: JSON.parse(asked.inputJson),
        hasOwnTerms: true,
        judge: (policy, earlier) => ({
          kind: "gated",
          verdict: "ask",
          describe: async () =>
            proposedCall(runtime, terms, {
              id: approvalId,
              toolName,
              toolVersion: "requireApproval",
              inputJson: asked.inputJson,
              // The request's own terms act as its policy, so another version changes nothing.
              policyVersion: earlier?.policyVersion ?? policy.version,
              policyContext: { principal: requester, profile: null, mcp: null },
              stored: {
                reasons: asked.reasons,
                preview: earlier ? earlier.terms.preview : await previewOf(runtime, asked),
              },
            }),
        }),
      },
    ],
  });
  if (outcome?.kind === "waits") return { requestId, approvalId, proposed: outcome.proposed, refusal: null };
  const refusal = outcome?.kind === "refused" ? outcome.refusal : approvalMissing(toolName, approvalId);
  return { requestId, approvalId, proposed: null, refusal };
}

function previewOf(runtime: Runtime, { action: name, preview, inputJson, ...subject }: AskedFor) {
  const at = { moment: "proposal", approvalId: null } as const;
  return rehearse(runtime, { name, preview }, inputJson, subject, at);
}
