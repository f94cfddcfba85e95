import type { Approval } from "../approval/approval.js";
import { type Refusal, refusalFor } from "../approval/refusal.js";
import type { StateChanges } from "./state-changes.js";

/** How an approved call ended. Plain data: it is a step's output, and what the approval's row keeps. */
export type ExecutionOutcome =
  | { status: "executed"; data?: unknown; state?: StateChanges }
  | { status: "failed"; error: { name: string; message: string } }
  | { status: "refused"; refusal: Refusal };

/** What a handler gave back, as far as JSON can hold it. */
export function executedOutcome(data: unknown, state: StateChanges | undefined): ExecutionOutcome {
  const outcome = state ? { data, state } : { data };
  return { status: "executed", ...JSON.parse(jsonOrNote(outcome)) };
}

function jsonOrNote(outcome: { data: unknown }): string {
  try {
    return JSON.stringify(outcome);
  } catch {
    return JSON.stringify({ ...outcome, data: "The tool ran, but its result cannot be written as JSON." });
  }
}

export function failedOutcome(error: unknown): ExecutionOutcome {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  // AgentKit's wrapper of Inngest functions says this where a handler looked for step tools and found none.
  const hint = message.startsWith("Inngest tool called outside")
    ? " (name an Inngest function that is a gated tool in the option durableTools)"
    : "";
  return { status: "failed", error: { name, message: message + hint } };
}

/** The outcome that an approval's row tells of: kept from an earlier start, or why there will be none. */
export function outcomeOfRow(approval: Approval | undefined): ExecutionOutcome {
  if (approval?.outcomeJson && (approval.status === "executed" || approval.status === "failed")) {
    return JSON.parse(approval.outcomeJson);
  }
  const refusal = approval && refusalFor(approval);
  return {
    status: "refused",
    refusal: refusal ?? {
      code: "approval_missing",
      approvalId: approval?.id ?? null,
      message: "No approval for exactly this call was found, so it did not run.",
    },
  };
}
