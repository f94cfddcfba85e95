import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { Card, ChannelGate } from "countersign/types";
import type { SlackSettings } from "../settings.js";

/** Decides through the gate. Returns null, or a text for the person that says why nothing has changed. */
export async function decideThrough(
  settings: SlackSettings,
  gate: ChannelGate,
  input: Parameters<ChannelGate["decide"]>[0],
): Promise<string | null> {
  try {
    const result = await gate.decide(input);
    if (!result.ok) return withOutcome(result.message, result.card);
    // The form of a repeated denial closes as that of the first one did.
    return result.repeated && input.decision === "approve" ? alreadyApproved(result.card) : null;
  } catch (error) {
    settings.logger.error("a decision from Slack failed", {
      channel: settings.name,
      approvalId: input.approvalId,
      error: nameOfThrown(error),
    });
    return "Your decision could not be recorded. Try again, or use the inbox.";
  }
}

/** An answer to somebody who approves a call again. */
function alreadyApproved(card: Card): string {
  const { open, quorum } = card;
  const already = "You have already approved this request.";
  if (!open) return withOutcome(already, card);
  const missing = Math.max(1, quorum.required - quorum.approved);
  const people = missing === 1 ? "one more person" : `${missing} more people`;
  return `${already} ${quorum.approved} of ${quorum.required} approvals: ${people} must approve it.`;
}

/** A refusal, with the outcome of the call appended if the refusal does not mention it. */
export function withOutcome(message: string, card: Card | null): string {
  const outcome = card?.outcome?.text;
  if (outcome === undefined || message.includes(outcome)) return message;
  return `${message} ${outcome}${/[.!?]$/.test(outcome) ? "" : "."}`;
}
