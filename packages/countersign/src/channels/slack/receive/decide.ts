import { nameOfThrown } from "../../../shared/name-of-thrown.js";
import type { Card, ChannelGate } from "../../channel.js";
import type { SlackSettings } from "../settings.js";

/** Decides through the gate. Returns null, or why nothing was decided in words for the person. */
export async function decideThrough(
  settings: SlackSettings,
  gate: ChannelGate,
  input: Parameters<ChannelGate["decide"]>[0],
): Promise<string | null> {
  try {
    const result = await gate.decide(input);
    return result.ok ? null : truth(result.message, result.card);
  } catch (error) {
    settings.logger.error("a decision from Slack failed", {
      channel: settings.name,
      approvalId: input.approvalId,
      error: nameOfThrown(error),
    });
    return "Your decision could not be recorded. Try again, or use the inbox.";
  }
}

/** A refusal, and what became of the call if it does not say so itself. */
export function truth(message: string, card: Card | null): string {
  const outcome = card?.outcome?.text;
  if (outcome === undefined || message.includes(outcome)) return message;
  return `${message} ${outcome}${/[.!?]$/.test(outcome) ? "" : "."}`;
}
