import type { EarlierCall } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { agoText } from "./countdown.js";

/** Describes an earlier run of the same call: "The same request ran 6 min ago, approved by you". */
export function earlierCallText(
  { status, finishedAt, decidedBy }: EarlierCall,
  nowMs: number,
  meId: string | undefined,
): string {
  const ago = finishedAt === null ? "" : ` ${agoText(Date.parse(finishedAt), nowMs)}`;
  const { earlier, earlierBy, by } = words.decided;
  const phrase = status === "responded" ? earlierBy.answered : earlierBy.approved;
  const who = decidedBy !== null && phrase(decidedBy === meId ? by.you : by.person(decidedBy));
  return earlier[status](ago, who || "");
}
