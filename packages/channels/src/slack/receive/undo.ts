import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { Card, ChannelGate } from "countersign/types";
import type { SlackSettings } from "../settings.js";
import { withOutcome } from "./decide.js";

/** Asks for the undo of a call through the gate. Returns null, or a text for the person if the undo does not run at once. */
export async function undoThrough(
  settings: SlackSettings,
  gate: ChannelGate,
  input: Parameters<ChannelGate["undo"]>[0],
): Promise<string | null> {
  try {
    const result = await gate.undo(input);
    return result.ok ? waiting(result.undo) : withOutcome(result.message, result.card);
  } catch (error) {
    settings.logger.error("an undo from Slack failed", {
      channel: settings.name,
      approvalId: input.approvalId,
      error: nameOfThrown(error),
    });
    return "The undo could not be requested. Try again, or use the inbox.";
  }
}

/** What is missing before the undo runs; null if nothing is. */
function waiting(undo: Card): string | null {
  const { open, status, whoDecides, quorum } = undo;
  if (["approved", "executing", "executed"].includes(status)) return null;
  if (!open) return withOutcome("This request is not undone.", undo);
  const votes = quorum.required > 1 ? ` ${quorum.approved} of ${quorum.required} approvals.` : "";
  return `The undo waits for a decision by ${whoDecides}.${votes}`;
}
