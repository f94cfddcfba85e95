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

/** Of the mails about one digest: the first, and those that answer it. */
export function digestHeaders(
  { id, recipient, messageId }: Pick<Delivery, "id" | "recipient" | "messageId">,
  domain: string,
): { first: ThreadHeaders; further: ThreadHeaders } {
  const first = `<${digest(id, recipient.id)}@${domain}>`;
  const further = `<${digest(id, recipient.id, messageId)}@${domain}>`;
  return {
    first: { messageId: first },
    further: { messageId: further, inReplyTo: first, references: first },
  };
}

function digest(...parts: string[]): string {
  return `countersign.${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32)}`;
}
