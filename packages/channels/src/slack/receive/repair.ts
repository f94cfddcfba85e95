import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { VerifiedPrincipal } from "@countersign/policy/internal/shared/principal";
import type { ChannelGate } from "countersign/types";
import { updateMessage } from "../keep-message.js";
import { mentionsIn } from "../mention.js";
import type { ButtonTarget } from "../message/button-value.js";
import { cardMessage } from "../message/card-message.js";
import type { SlackSettings } from "../settings.js";
import { SlackFailure } from "../slack-failure.js";

/** The message in which somebody acted. */
export interface ActedIn {
  channel: string | undefined;
  ts: string | undefined;
}

const maxRounds = 5;

/**
 * Brings the message in which somebody acted to the call's current state. No delivery may know the message: if Slack's
 * answer to its post got lost, nothing else removes its buttons. Never throws, because the action has already happened.
 */
export async function repair(
  settings: SlackSettings,
  gate: ChannelGate,
  principal: VerifiedPrincipal,
  { approvalId, digest }: ButtonTarget,
  { channel, ts }: ActedIn,
): Promise<void> {
  if (channel === undefined || ts === undefined) return;
  try {
    let shown = -1;
    // A delivery may have shown a newer card in between, which this update would then replace by an older one.
    for (let round = 0; round < maxRounds; round++) {
      const card = await gate.card(principal, approvalId, digest);
      if (card === null || card.version <= shown) return;
      const mentions = await mentionsIn(settings, { card, recipient: { id: channel, label: channel } });
      await updateMessage(settings.api, { channel, ts }, (size) => cardMessage(card, { ...size, mentions }));
      shown = card.version;
    }
  } catch (error) {
    const code = error instanceof SlackFailure ? error.code : nameOfThrown(error);
    settings.logger.warn("a message in Slack could not be updated", { channel: settings.name, error: code });
  }
}
