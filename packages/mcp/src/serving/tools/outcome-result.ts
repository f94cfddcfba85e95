import type { ExternalCallOutcome } from "countersign/types";
import { jsonResult } from "./tool-result.js";

/** An outcome as structured data for programs, and as a text for their model. */
export function outcomeResult(outcome: ExternalCallOutcome) {
  return jsonResult(outcomeJson(outcome), says(outcome));
}

export function outcomeJson(outcome: ExternalCallOutcome): Record<string, unknown> {
  return outcome.status === "pending"
    ? { ...outcome, expiresAt: outcome.expiresAt?.toISOString() ?? null }
    : { ...outcome };
}

export function says(outcome: ExternalCallOutcome): string {
  switch (outcome.status) {
    case "allowed":
      return "The policy allows it without asking. Run it.";
    case "pending":
      return "It waits for a person. Do not run it. Ask again with get_approval_outcome.";
    case "approved":
      return "It is approved. Call use_approval with the same tool and arguments, then run it once.";
    case "responded":
      return "A person did it and supplied the result. Do not run it.";
    case "used":
      return "Its approval was used already. Do not run it again.";
    case "refused":
      return outcome.refusal.message;
  }
}
