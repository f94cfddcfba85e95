import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { exactTime } from "./exact-time.js";

/** What the reader has just done, as a title: "You approved". */
export function toastTitle({ held, decision, snoozedUntil }: Approval, nowMs?: number): string {
  if (snoozedUntil !== null) return words.decided.snoozed(exactTime(snoozedUntil, nowMs, "minute"));
  const made = held ?? decision;
  return made ? words.decided.made[made.type] : words.decided.voteCounted;
}

/** Who has decided a call whose decision is held: "You approved this with changes". */
export function heldTitle({ held }: Approval, meId: string | undefined): string {
  if (!held) return "";
  const { heldOwn, heldOther } = words.decided;
  return held.decidedBy === meId ? heldOwn[held.type] : heldOther[held.type](held.decidedBy);
}
