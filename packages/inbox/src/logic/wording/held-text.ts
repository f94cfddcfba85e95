import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { exactTime } from "./exact-time.js";
import { hasVoted } from "./quorum-text.js";

/** What the reader has just done, as a title: "You approved". */
export function toastTitle(approval: Approval, meId: string | undefined, nowMs?: number): string {
  const { held, decision, snoozedUntil, stillNeeded } = approval;
  if (snoozedUntil !== null) return words.decided.snoozed(exactTime(snoozedUntil, nowMs, "minute"));
  const made = held ?? decision;
  if (made) return words.decided.made[made.type];
  return hasVoted(approval, meId) === "deny"
    ? words.decided.votedToDeny
    : words.decided.voted(stillNeeded.approvals);
}

/** Milliseconds that the engine usually takes to let a decision take effect at the end of its time. */
const usualDelayMs = 5_000;

/**
 * What is still to happen with a decision that is held. The engine ends its time: if it is away, the decision can no longer
 * be taken back, and has not taken effect.
 */
export function heldNote({ held }: Approval, meId: string | undefined, nowMs: number): string {
  const { ownHeld, otherHeld, heldOver } = words.decide.status;
  if (held && nowMs > Date.parse(held.until) + usualDelayMs) return heldOver;
  if (held?.decidedBy !== meId) return otherHeld;
  return ownHeld(held?.type === "approve" || held?.type === "edit");
}

/** Who has decided a call whose decision is held: "Approved with changes", "lead denied this". */
export function heldTitle({ held }: Approval, meId: string | undefined): string {
  if (!held) return "";
  const { heldOwn, heldOther } = words.decided;
  return held.decidedBy === meId ? heldOwn[held.type] : heldOther[held.type](held.decidedBy);
}
