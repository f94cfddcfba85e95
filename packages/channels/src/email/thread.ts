import { createHash } from "node:crypto";
import type { Delivery } from "countersign/types";

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

/** The headers of a mail about a roundup. A repeated mail has the same message id, unless it counts further calls. */
export function roundupHeaders(
  { recipient, messageId }: Pick<Delivery, "recipient" | "messageId">,
  domain: string,
): ThreadHeaders {
  return { messageId: `<${digest(messageId, recipient.id)}@${domain}>` };
}

function digest(...parts: string[]): string {
  return `countersign.${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32)}`;
}
