import { nameOfThrown } from "../../../shared/name-of-thrown.js";
import type { Card, ChannelGate } from "../../channel.js";
import type { SlackSettings } from "../settings.js";

/** Decides through the gate. Returns null, or a text for the person that says why nothing was decided. */
export async function decideThrough(
  settings: SlackSettings,
  gate: ChannelGate,
  input: Parameters<ChannelGate["decide"]>[0],
): Promise<string | null> {
  try {
    const result = await gate.decide(input);
    return result.ok ? null : withOutcome(result.message, result.card);
  } catch (error) {
    settings.logger.error("a decision from Slack failed", {
      channel: settings.name,
      approvalId: input.approvalId,
      error: nameOfThrown(error),
    });
    return "Your decision could not be recorded. Try again, or use the inbox.";
  }
}

/** A refusal, with the outcome of the call appended if the refusal does not mention it. */
export function withOutcome(message: string, card: Card | null): string {
  const outcome = card?.outcome?.text;
  if (outcome === undefined || message.includes(outcome)) return message;
  return `${message} ${outcome}${/[.!?]$/.test(outcome) ? "" : "."}`;
}
