import type { Approval } from "../../api/approval.js";
import { exactTime } from "./exact-time.js";

const pastTense = {
  approve: "approved",
  edit: "approved with changes",
  deny: "denied",
  respond: "answered",
} as const;

/** What the reader has just done, as a title: "You approved". */
export function toastTitle({ held, decision, snoozedUntil }: Approval, nowMs?: number): string {
  if (snoozedUntil !== null) return `Snoozed until ${exactTime(snoozedUntil, nowMs, "minute")}`;
  const made = held ?? decision;
  return made ? `You ${pastTense[made.type]}` : "Your vote was counted";
}

/** Who has decided a call whose decision is held: "You approved this with changes". */
export function heldTitle({ held }: Approval, meId: string | undefined): string {
  if (!held) return "";
  const who = held.decidedBy === meId ? "You" : held.decidedBy;
  const [verb, ...how] = pastTense[held.type].split(" ");
  return [who, verb, "this", ...how].join(" ");
}
