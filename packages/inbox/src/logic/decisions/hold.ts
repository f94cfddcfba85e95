import type { Approval, Risk } from "../../api/approval.js";

/** How long a decision may be taken back in the inbox, unless the host says otherwise, in milliseconds. */
export const defaultHoldMs = 6_000;

/** What is more than this takes the reader several steps, which a slip does not make. */
const heldRisks: readonly Risk[] = ["low", "medium"];

/** How long the server should hold a decision about this call; `undefined` for not at all. */
export function holdMsOf(
  { risk, maxHoldMs }: Pick<Approval, "risk" | "maxHoldMs">,
  wantedMs: number,
  givesGrant: boolean,
): number | undefined {
  const holdMs = Math.min(wantedMs, maxHoldMs);
  return holdMs > 0 && heldRisks.includes(risk) && !givesGrant ? holdMs : undefined;
}

/** Whether the call waits for a decision: it is pending, and nobody has made one that is only held. */
export function isUndecided({ status, held }: Pick<Approval, "status" | "held">): boolean {
  return status === "pending" && held === null;
}
