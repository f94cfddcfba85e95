import { createHash } from "node:crypto";
import type { Delivery } from "countersign";

/** The headers by which mail programs put the mails about one approval into one thread. */
export interface ThreadHeaders {
  messageId: string;
  inReplyTo?: string;
  references?: string;
}

/**
 * Derives the headers from the approval, the recipient and the event alone. A repeated mail therefore has the same
 * message id, and later mails find the thread without any stored state.
 */
export function threadHeaders(
  { card, recipient, event, occurredAt }: Delivery,
  domain: string,
): ThreadHeaders {
  const named = (...parts: string[]) => `<${digest(card.approvalId, recipient.id, ...parts)}@${domain}>`;
  const first = named();
  if (event === "approval.pending") return { messageId: first };
  return { messageId: named(event, occurredAt.toISOString()), inReplyTo: first, references: first };
}

/**
 * The headers of a mail about a roundup. A repeated mail gets the id of the first attempt only if its content is the
 * same, because mailboxes hide a mail whose id they already have.
 *
 * @param first The id of the roundup's first mail; `undefined` if none is known to have been sent.
 */
export function roundupHeaders(
  { recipient, messageId }: Pick<Delivery, "recipient" | "messageId">,
  first: string | undefined,
  domain: string,
): ThreadHeaders {
  const own = `<${digest(messageId, recipient.id)}@${domain}>`;
  return { messageId: own, ...(first !== undefined && { inReplyTo: first, references: first }) };
}

function digest(...parts: string[]): string {
  return `countersign.${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32)}`;
}
