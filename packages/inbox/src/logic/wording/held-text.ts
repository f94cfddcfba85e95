import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { exactTime } from "./exact-time.js";

/** What the reader has just done, as a title: "You approved". */
export function toastTitle({ held, decision, snoozedUntil }: Approval, nowMs?: number): string {
  if (snoozedUntil !== null) return words.decided.snoozed(exactTime(snoozedUntil, nowMs, "minute"));
  const made = held ?? decision;
  return made ? words.decided.made[made.type] : words.decided.voteCounted;
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
  return held?.decidedBy === meId ? ownHeld : otherHeld;
}

/** Who has decided a call whose decision is held: "You approved this with changes". */
export function heldTitle({ held }: Approval, meId: string | undefined): string {
  if (!held) return "";
  const { heldOwn, heldOther } = words.decided;
  return held.decidedBy === meId ? heldOwn[held.type] : heldOther[held.type](held.decidedBy);
}
