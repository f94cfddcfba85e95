import type { Logger } from "@countersign/policy/internal/shared/logger";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { Card, Recipient } from "countersign/types";
import { isPerson } from "./recipients.js";

/**
 * Ids of user groups (`S0123456789`) and people (`U0123456789`) whom new messages mention: always the same, or those that
 * a function returns for a call. They come from the host alone, never from a text of a call.
 */
export type SlackMention =
  | string
  | readonly string[]
  | ((card: Card) => string | readonly string[] | null | Promise<string | readonly string[] | null>);

export const mentionFix = `must be the id of a user group such as "S0123456789" or of a person such as "U0123456789"`;
const maxMentions = 20;
const groupId = /^S[A-Z0-9]{2,20}$/;
const personId = /^[UW][A-Z0-9]{2,20}$/;

const isDirect = (recipient: Recipient): boolean => isPerson(recipient) || /^D[A-Z0-9]+$/.test(recipient.id);

export const isMentionable = (id: unknown): boolean =>
  typeof id === "string" && (groupId.test(id) || personId.test(id));

/** Slack's markup for those whom a message about the call mentions; empty in a direct message, which notifies anyway. */
export async function mentionsIn(
  { mention, name, logger }: { mention: SlackMention | undefined; name: string; logger: Logger },
  { card, recipient }: { card: Card; recipient: Recipient },
): Promise<string> {
  if (mention === undefined || !card.open || isDirect(recipient)) return "";
  try {
    return markupOf(typeof mention === "function" ? await mention(card) : mention, { name, logger });
  } catch (error) {
    logger.error("mention threw, so a message mentions nobody", {
      channel: name,
      error: nameOfThrown(error),
    });
    return "";
  }
}

/** The same for a roundup. It is about many calls, so only those are mentioned who always are. */
export function mentionsInRoundup(
  { mention, ...settings }: { mention: SlackMention | undefined; name: string; logger: Logger },
  recipient: Recipient,
): string {
  const isAlways = mention !== undefined && typeof mention !== "function";
  return isAlways && !isDirect(recipient) ? markupOf(mention, settings) : "";
}

function markupOf(
  given: string | readonly string[] | null,
  { name, logger }: { name: string; logger: Logger },
): string {
  const ids = [...new Set([given ?? []].flat())];
  const wrong = ids.length - ids.filter(isMentionable).length;
  if (wrong > 0) logger.error(`mention: ${mentionFix}`, { channel: name, wrong });
  return ids
    .filter(isMentionable)
    .slice(0, maxMentions)
    .map((id) => (groupId.test(id) ? `<!subteam^${id}>` : `<@${id}>`))
    .join(" ");
}
