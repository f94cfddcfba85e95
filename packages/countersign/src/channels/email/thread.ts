import { createHash } from "node:crypto";
import type { Delivery } from "../channel.js";

/** The headers by which mail programs put the mails about one approval into one thread. */
export interface ThreadHeaders {
  messageId: string;
  inReplyTo?: string;
  references?: string;
}

/**
 * Derived from the approval, the recipient and the event alone, so that a mail that is sent again is the same message,
 * and later ones find the thread without anything stored.
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
 * Of a mail about a digest. A mail that is sent again is the same message only if it says the same: mailboxes hide what they
 * have already.
 *
 * @param first The id of the digest's first mail; `undefined` if none is known to have been sent.
 */
export function digestHeaders(
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
