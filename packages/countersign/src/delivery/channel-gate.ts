import { inboxPlace } from "@countersign/policy/internal/policy/rules/rule";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import {
  type Principal,
  requiredPrincipal,
  type VerifiedPrincipal,
} from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../approval/approval.js";
import { maySee } from "../approval/who-decides.js";
import type { Card, ChannelDecision, ChannelGate, ChannelUndo } from "../channel/channel.js";
import type { Decide } from "../decision/decide.js";
import type { DeliveryParts } from "./attempt.js";
import { renderCard } from "./card/render-card.js";

interface GateParts extends Pick<DeliveryParts, "store" | "inboxUrl"> {
  /** Of principals without a tenant. */
  tenantId: string;
}

/** Asks for the undo of a call. */
type Undo = (request: {
  principal: Principal;
  approvalId: string;
  digest: string;
  reason: string | null;
  place: string;
}) => Promise<Approval>;

/** What a channel lets people do. */
export interface ChannelActs {
  decide: Decide;
  undo: Undo;
}

/** Codes of errors of the installation. The person who decides can do nothing about them. */
const broken: ReadonlySet<string> = new Set(["database_failed", "not_migrated", "signing_failed"]);

/**
 * The only way in which a channel decides. It makes the same checks as the inbox. It also checks the rule's `decideIn`
 * and, before an approval, that the channel can show the whole call.
 */
function createGate(parts: GateParts, channel: string, { decide, undo }: ChannelActs): ChannelGate {
  const { store } = parts;
  // The audit log names the channel as the person's way of authentication.
  const checked = (principal: VerifiedPrincipal): Principal => ({
    ...requiredPrincipal(principal, `the channel ${channel}`, parts.tenantId),
    authenticatedBy: channel,
  });
  // Only the card shows the digest, so a person who sends it has read the call, whether or not they may decide it.
  const read = async ({ tenantId, ...rest }: Principal, approvalId: string, digest?: string) => {
    const found = await store.readForCard(tenantId, approvalId);
    const visible =
      found && (maySee(found.approval, { tenantId, ...rest }) || found.approval.digest === digest);
    if (!visible) return undefined;
    return { ...found, card: renderCard(found, { channel, inboxUrl: parts.inboxUrl }) };
  };
  type Read = Awaited<ReturnType<typeof read>>;
  /** The refusal for a person. An error that they can do nothing about is thrown. */
  const refused = (error: unknown, now: Read, mayNot: { code: string; message: string }) => {
    if (!CountersignError.isInstance(error) || broken.has(error.code)) throw error;
    // The person has read the call, so hiding that it exists would only confuse them.
    const { code, message } = error.code === "not_found" && now ? mayNot : error;
    return { ok: false as const, code, message: asSentence(message), card: now?.card ?? null };
  };
  return {
    card: async (principal, approvalId, digest) =>
      (await read(checked(principal), approvalId, digest))?.card ?? null,
    async decide({ principal: given, approvalId, digest, decision, reason }): Promise<ChannelDecision> {
      const principal = checked(given);
      const before = await read(principal, approvalId, digest);
      const type = decision === "approve" ? "approve" : "deny";
      const call = { principal, digest, channel };
      try {
        if (before && maySee(before.approval, principal) && type === "approve")
          await requireWholeCall(parts, before.card, call);
        await decide({ approvalId, principal, type, digest, reason: reason?.trim() || null, place: channel });
      } catch (error) {
        return refused(error, await read(principal, approvalId, digest), mayNotDecide);
      }
      const after = await read(principal, approvalId, digest);
      if (!after)
        throw new CountersignError("not_found", "The approval was deleted right after the decision");
      return { ok: true, card: after.card, repeated: hasDecided(before?.approval, principal.id, type) };
    },
    async undo({ principal: given, approvalId, digest, reason }): Promise<ChannelUndo> {
      const principal = checked(given);
      try {
        const before = await read(principal, approvalId, digest);
        if (before) requireWholeUndo(before.approval, before.card, channel);
        const { id } = await undo({
          principal,
          approvalId,
          digest,
          reason: reason?.trim() || null,
          place: channel,
        });
        const [after, its] = [
          await read(principal, approvalId, digest),
          await store.readForCard(principal.tenantId, id),
        ];
        if (!after || !its)
          throw new CountersignError(
            "not_found",
            "The approval was deleted right after the undo was asked for",
          );
        const place = { channel, inboxUrl: parts.inboxUrl };
        return { ok: true, card: after.card, undo: renderCard(its, place) };
      } catch (error) {
        return refused(error, await read(principal, approvalId, digest), mayNotUndo);
      }
    },
  };
}

const mayNotUndo = { code: "forbidden", message: "You may read this request but not undo it" };
const mayNotDecide = { code: "forbidden", message: "You may read this request but not decide it" };

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Whether this person has decided the call in this way, alone or as one of several. */
function hasDecided(approval: Approval | undefined, id: string, type: "approve" | "deny"): boolean {
  if (approval?.decision) {
    const voted = approval.votes.some((vote) => vote.principalId === id && vote.type === type);
    return approval.decision.type === type && (voted || approval.decision.decidedBy === id);
  }
  return approval?.votes.some((vote) => vote.principalId === id && vote.type === type) ?? false;
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
    `This place cannot show the whole request, so it can only be denied here. ${instead}`,
  );
}

/** The same for the undo of a call, which people could not read in full here. */
function requireWholeUndo({ terms }: Approval, { undo }: Card, channel: string): void {
  // In all other cases, the undo itself is refused, for its own reasons.
  if (!undo?.possible || undo.offered || !terms.decideIn.includes(channel)) return;
  const instead = terms.decideIn.includes(inboxPlace) ? ". Undo it in the inbox" : "";
  throw new CountersignError(
    "wrong_place",
    `This place cannot show the whole request, so nobody can undo it here${instead}`,
  );
}

/** Handles what people do in channels. */
export function createReceive(
  parts: DeliveryParts & GateParts,
  acts: ChannelActs,
): (name: string, request: Request) => Promise<Response | undefined> {
  return async (name, request) => {
    const channel = parts.channels.get(name);
    return channel?.receive?.(request, createGate(parts, name, acts));
  };
}
