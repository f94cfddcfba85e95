import { maySee } from "../approval/who-decides.js";
import type { Card, ChannelDecision, ChannelGate } from "../channels/channel.js";
import type { Decide } from "../decision/decide.js";
import { inboxPlace } from "../policy/rules/rule.js";
import { CountersignError } from "../shared/errors.js";
import { type Principal, principalSchema } from "../shared/principal.js";
import type { DeliveryParts } from "./attempt.js";
import { renderCard } from "./card/render-card.js";

type GateParts = Pick<DeliveryParts, "store" | "inboxUrl">;

/** Codes of errors of the installation. The person who decides can do nothing about them. */
const broken: ReadonlySet<string> = new Set(["database_failed", "not_migrated", "signing_failed"]);

/**
 * The only way in which a channel decides. It makes the same checks as the inbox. It also checks the rule's `decideIn`
 * and, before an approval, that the channel can show the whole call.
 */
function createGate(parts: GateParts, channel: string, decide: Decide): ChannelGate {
  const { store } = parts;
  const cardFor = async (principal: Principal, approvalId: string): Promise<Card | null> => {
    const found = await store.readForCard(principal.tenantId, approvalId);
    if (!found || !maySee(found.approval, principal)) return null;
    return renderCard(found, { channel, inboxUrl: parts.inboxUrl });
  };
  return {
    card: (principal, approvalId) => cardFor(checked(principal, channel), approvalId),
    async decide({ principal: given, approvalId, digest, decision, reason }): Promise<ChannelDecision> {
      const principal = checked(given, channel);
      const shown = await cardFor(principal, approvalId);
      const type = decision === "approve" ? "approve" : "deny";
      try {
        if (shown && type === "approve") await requireWholeCall(parts, shown, { principal, digest, channel });
        await decide({ approvalId, principal, type, digest, reason: reason?.trim() || null, place: channel });
      } catch (error) {
        if (!CountersignError.isInstance(error) || broken.has(error.code)) throw error;
        const card = await cardFor(principal, approvalId);
        const message = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
        return { ok: false, code: error.code, message, card };
      }
      const card = await cardFor(principal, approvalId);
      if (!card) throw new CountersignError("not_found", "The approval was deleted right after the decision");
      return { ok: true, card };
    },
  };
}

/** The audit log names the channel as the person's way of authentication. */
function checked(principal: Principal, channel: string): Principal {
  return { ...principalSchema.parse(principal), authenticatedBy: channel };
}

/** Refuses an approval of a call that a card of this channel does not show in full. The inbox shows all of it. */
async function requireWholeCall(
  { store }: GateParts,
  card: Card,
  { principal, digest, channel }: { principal: Principal; digest: string; channel: string },
): Promise<void> {
  if (card.status !== "pending" || card.decisions.includes("approve")) return;
  const { approvalId } = card;
  const { terms } = (await store.getApproval(principal.tenantId, approvalId)) ?? {};
  // In these cases, `decide` itself refuses the decision, for its own reasons.
  if (!terms?.decideIn.includes(channel) || !terms.decisions.includes("approve")) return;
  const code = "wrong_place";
  await store.recordRefusal({ attempt: "decision", approvalId, principal, type: "approve", digest, code });
  const instead = terms.decideIn.includes(inboxPlace)
    ? "Approve it in the inbox"
    : "The inbox shows all of it, but the rules do not let people approve it there";
  throw new CountersignError(
    code,
    `This place cannot show the whole call, so it can only be denied here. ${instead}`,
  );
}

/** Handles what people do in channels. */
export function createReceive(
  parts: DeliveryParts,
  decide: Decide,
): (name: string, request: Request) => Promise<Response | undefined> {
  return async (name, request) => {
    const channel = parts.channels.get(name);
    return channel?.receive?.(request, createGate(parts, name, decide));
  };
}
