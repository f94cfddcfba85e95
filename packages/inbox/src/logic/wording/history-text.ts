import { numberText } from "countersign/display";
import type { Approval } from "../../api/approval.js";
import type { HistoryOutcome } from "../lists/history-query.js";

/** One part of the line about earlier calls. */
export interface HistoryPart {
  text: string;
  /** It is unusual, so it stands out. */
  stands: boolean;
  /** The calls that it counts. @default it counts none */
  counts?: HistoryOutcome;
}

/** From this many times the median on, or below its inverse, an amount is unusual. */
const unusual = 3;

/** What was decided about calls like this one: "41 calls for ada in 30 days", "40 approved", "8 × their median of 38". */
export function historyParts({
  history,
  requesterId,
  toolName,
}: Pick<Approval, "history" | "requesterId" | "toolName">): HistoryPart[] {
  if (!history || requesterId === null) return [];
  const { calls, more, approved, denied, amount, newValues } = history;
  const plain = (text: string): HistoryPart => ({ text, stands: false });
  if (calls === 0) return [plain(`You can see no other call of ${toolName} for ${requesterId} in 30 days`)];
  const count = `${calls}${more ? " or more" : ""} other ${calls === 1 && !more ? "call" : "calls"}`;
  return [
    { ...plain(`${count} for ${requesterId} in 30 days`), counts: "decided" },
    approved > 0 ? { ...plain(`${approved} approved`), counts: "approved" } : plain("0 approved"),
    ...(denied > 0 ? [{ ...plain(`${denied} denied`), counts: "denied" as const }] : []),
    ...(amount ? [timesPart(amount)] : []),
    ...newValues.map((path) => ({ text: `No approved one had this ${path}`, stands: true })),
  ];
}

function timesPart({ path, median, times }: { path: string; median: number; times: number }): HistoryPart {
  const stands = times >= unusual || times <= 1 / unusual;
  const rounded = times >= 10 ? Math.round(times) : Number(times.toPrecision(2));
  return { text: `${rounded} × their median ${path} of ${numberText(path, median)}`, stands };
}
