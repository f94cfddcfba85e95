import type { EarlierCall } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { agoText } from "./countdown.js";

/** Describes an earlier run of the same call. */
export function earlierCallText({ status, finishedAt }: EarlierCall, nowMs: number): string {
  const ago = finishedAt === null ? "" : ` ${agoText(Date.parse(finishedAt), nowMs)}`;
  return words.decided.earlier[status](ago);
}
