import { createHash } from "node:crypto";

/** How a notice names a thread: short, however long its id is. */
export function threadKey(threadId: string): string {
  return createHash("sha256").update(threadId).digest("base64url");
}
