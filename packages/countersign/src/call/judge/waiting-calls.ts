import type { Decided } from "../../orchestrator/decided.js";
import type { StreamedResolution, WaitingCall } from "../stream.js";
import type { ProposedOutcome } from "./review-call.js";
import type { ProposedToolCall } from "./tool-calls.js";

/** The calls of a streamed response that wait for a person. */
export function waitingCalls(
  outcomes: readonly ProposedOutcome[],
  calls: readonly ProposedToolCall[],
): WaitingCall[] {
  return calls.flatMap(({ tool, position }) => {
    const outcome = outcomes[position];
    if (outcome?.kind !== "waits" || !outcome.card) return [];
    const { approvalId, card, proposed } = outcome;
    return [
      {
        approvalId,
        card,
        toolCallId: tool.id,
        toolName: tool.name,
        input: tool.input,
        digest: proposed.digest,
      },
    ];
  });
}

/** How people have decided about the waiting calls of a request. */
export function resolutionOf(
  requestId: string,
  waiting: readonly WaitingCall[],
  decisions: readonly Decided[],
): StreamedResolution {
  const ofCall = new Map(decisions.map((decision) => [decision.approvalId, decision]));
  const approved = waiting.filter(({ approvalId }) => {
    const decision = ofCall.get(approvalId);
    return decision && !decision.open && !decision.refusal;
  });
  const decided = waiting.flatMap(({ approvalId }) => ofCall.get(approvalId)?.decided ?? []);
  return {
    requestId,
    approved: approved.map(({ toolCallId }) => toolCallId),
    total: waiting.length,
    decided: decided.sort((a, b) => a.at.localeCompare(b.at)).at(-1),
  };
}
