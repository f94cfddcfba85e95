import { storableText } from "@countersign/policy/internal/shared/storable-text";
import type { Approval } from "../../approval/approval.js";
import { hidingFor } from "../../approval/visible-arguments.js";
import type { GateOutcome } from "../../gate/gate.js";
import { proposeCalls } from "../../gate/propose-calls.js";
import type { InngestRun } from "../run/inngest-run.js";
import type { ReviewRuntime } from "../run/runtime.js";
import type { ProposedCard } from "../stream.js";
import { askedBy } from "./asked-by.js";
import { problemOfRows } from "./repeated-calls.js";
import { callHash, type ProposedOutcome, type ProposeInput, reviewCall } from "./review-call.js";
import { redactedText } from "./text-beside-calls.js";

/** Proposes the calls of a response. Runs inside a step: its verdicts hold for the whole run. @throws RenamedCall */
export async function propose(
  runtime: ReviewRuntime,
  run: InngestRun,
  input: ProposeInput,
): Promise<ProposedOutcome[]> {
  const { subject, calls } = input;
  const outcomes = await proposeCalls(runtime, {
    ...askedBy(runtime, run, subject),
    requestId: input.requestId,
    agentName: input.agentName,
    ofModel: {
      ids: calls.map(({ tool }) => storableText(tool.id)),
      problemOf: (earlier) => problemOfRows(runtime, run, input, earlier),
    },
    modelText: (proposed) => redactedText(input.modelText, proposed, runtime.redactPatterns),
    calls: calls.map((call) => ({
      position: call.position,
      toolName: call.tool.name,
      input: call.tool.input,
      judge: (policy, earlier) => reviewCall(runtime, input, policy, { ...call, earlier }),
    })),
  });
  return outcomes.map((outcome, index) => outputOf(outcome, calls[index]?.tool, input));
}

/** An outcome as the step's output holds it: without the row. */
function outputOf(
  outcome: GateOutcome,
  tool: ProposeInput["calls"][number]["tool"] | undefined,
  { streamed }: Pick<ProposeInput, "streamed">,
): ProposedOutcome {
  switch (outcome.kind) {
    case "allowed":
      return { ...outcome, call: tool ? callHash(tool) : "" };
    case "approved":
      return { kind: "approved", approvalId: outcome.approval.id, proposed: outcome.proposed };
    case "waits": {
      const { approval, proposed } = outcome;
      return {
        kind: "waits",
        approvalId: approval.id,
        proposed,
        ...(streamed && { card: cardOf(approval) }),
      };
    }
    case "refused":
      return { kind: "refused", refusal: outcome.refusal };
    case "taken":
      throw new Error("unreachable: a run's calls have a request of their own");
  }
}

function cardOf(approval: Approval): ProposedCard {
  const { risk, reason, createdAt, timeoutMs, terms } = approval;
  return {
    risk,
    reason,
    expiresAt: new Date(createdAt.getTime() + timeoutMs).toISOString(),
    ...hidingFor(terms, { sink: "channel" }),
  };
}
