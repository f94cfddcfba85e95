import { createHash } from "node:crypto";
import type { Card } from "countersign/types";

/** What a push message tells the inbox's service worker. It holds no argument except those in the sentence. */
export interface PushMessage {
  approvalId: string;
  /** The sentence that says what the call does. */
  title: string;
  risk: Card["risk"];
  /** In ISO 8601; `null` if the call does not expire. */
  expiresAt: string | null;
}

type PushedCall = Pick<Card, "approvalId" | "summary" | "risk" | "expiresAt">;

/** Push services accept 4,096 bytes, encrypted. A character takes at most 4, or 6 as an escape in JSON. */
const maxTitle = 400;

export function pushMessage({ approvalId, summary, risk, expiresAt }: PushedCall): PushMessage {
  const characters = [...summary];
  const title = characters.length > maxTitle ? `${characters.slice(0, maxTitle - 1).join("")}…` : summary;
  return { approvalId, title, risk, expiresAt: expiresAt?.toISOString() ?? null };
}

/**
 * Lets a push service replace a message that it has not delivered yet by a later one about the same call. A hash,
 * because push services must not learn the id.
 */
export function topicOf({ approvalId }: Pick<Card, "approvalId">): string {
  return createHash("sha256").update(approvalId).digest("base64url").slice(0, 32);
}

/** The longest time for which the common push services keep a message. */
const maxTtlSeconds = 28 * 24 * 60 * 60;

/** How long a push service may keep the message, in seconds: until the call expires. */
export function ttlSeconds({ expiresAt }: Pick<Card, "expiresAt">, now: Date): number {
  if (expiresAt === null) return maxTtlSeconds;
  const left = Math.floor((expiresAt.getTime() - now.getTime()) / 1_000);
  return Math.max(0, Math.min(left, maxTtlSeconds));
}
