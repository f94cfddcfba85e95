import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { VerifiedPrincipal } from "@countersign/policy/internal/shared/principal";
import type { Card, ChannelGate } from "countersign/types";
import { actionIds } from "../message/action-blocks.js";
import { type ButtonTarget, targetOf } from "../message/button-value.js";
import type { SlackSettings } from "../settings.js";
import { anyAnswer } from "../slack-api.js";
import { SlackFailure } from "../slack-failure.js";
import { decideThrough, withOutcome } from "./decide.js";
import { denyModal } from "./deny-modal.js";
import type { BlockActions } from "./payloads.js";
import { personOf } from "./person.js";
import { type ActedIn, repair } from "./repair.js";
import { sendEphemeral } from "./send-ephemeral.js";
import { undoThrough } from "./undo.js";

/** The buttons that do something. */
const acts = ["approve", "deny", "undo"] as const;

/** Carries out what a button stands for. If that is impossible, sends the person the reason. */
export async function pressed(
  settings: SlackSettings,
  gate: ChannelGate,
  payload: BlockActions,
): Promise<void> {
  const [action] = payload.actions;
  const act = acts.find((name) => actionIds[name] === action?.action_id);
  // Slack also reports presses of buttons that only open an address.
  if (action === undefined || act === undefined) return;
  const channel = payload.channel?.id ?? payload.container?.channel_id ?? undefined;
  const to = { channel, user: payload.user.id };
  const target = targetOf(action.value ?? "");
  if (target === null) return sendEphemeral(settings, to, "This button is not valid. Use the inbox.");
  const found = await personOf(settings, payload);
  if ("refused" in found) return sendEphemeral(settings, to, found.refused, { link: found.link });
  const { principal } = found;
  const message = { channel, ts: payload.container?.message_ts ?? undefined };
  const carryOut = {
    approve: () => decideThrough(settings, gate, { principal, ...target, decision: "approve" }),
    deny: () => openModal(settings, gate, principal, target, payload.trigger_id, message),
    undo: () => undoThrough(settings, gate, { principal, ...target }),
  };
  const text = await carryOut[act]();
  await Promise.all([
    text === null ? undefined : sendEphemeral(settings, to, text),
    repair(settings, gate, principal, target, message),
  ]);
}

/** Opens a form that asks for a reason. Returns null, or why the call can no longer be denied. */
async function openModal(
  settings: SlackSettings,
  gate: ChannelGate,
  principal: VerifiedPrincipal,
  target: ButtonTarget,
  trigger: string,
  message: ActedIn,
): Promise<string | null> {
  try {
    const card = await gate.card(principal, target.approvalId);
    if (card === null) return whyUnseen(await gate.card(principal, target.approvalId, target.digest));
    if (!card.open) return withOutcome("This request is already closed.", card);
    if (card.digest !== target.digest) {
      return "The request differs from the one in this message. Open it in the inbox to see it.";
    }
    const view = denyModal(card, target, message);
    if (view === null) return "This request cannot be denied here. Use the inbox.";
    await settings.api.call("views.open", { trigger_id: trigger, view }, anyAnswer);
    return null;
  } catch (error) {
    const code = error instanceof SlackFailure ? error.code : nameOfThrown(error);
    settings.logger.warn("the form for a denial did not open", { channel: settings.name, error: code });
    return "The form for the denial did not open. Press Deny again, or use the inbox.";
  }
}

/** @param read The card, if the person has read it here. */
function whyUnseen(read: Card | null): string {
  return read === null
    ? "This request does not exist any more, or you may not see it."
    : withOutcome("You may read this request but not decide it.", read);
}
