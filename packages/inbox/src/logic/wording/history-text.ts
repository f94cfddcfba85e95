import { numberText } from "countersign/display";
import type { Approval } from "../../api/approval.js";
import { numbers } from "../../words/locale.js";
import { words } from "../../words/words.js";
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
  const texts = words.detail.records.history;
  const plain = (text: string): HistoryPart => ({ text, stands: false });
  if (calls === 0) return [plain(texts.noOthers(toolName, requesterId))];
  return [
    { ...plain(texts.others(calls, more, requesterId)), counts: "decided" },
    { ...plain(texts.approved(approved)), ...(approved > 0 && { counts: "approved" }) },
    ...(denied > 0 ? [{ ...plain(texts.denied(denied)), counts: "denied" as const }] : []),
    ...(amount ? [timesPart(amount)] : []),
    ...newValues.map((path) => ({ text: texts.newValue(path), stands: true })),
  ];
}

function timesPart({ path, median, times }: { path: string; median: number; times: number }): HistoryPart {
  const stands = times >= unusual || times <= 1 / unusual;
  const rounded = times >= 10 ? Math.round(times) : Number(times.toPrecision(2));
  const text = words.detail.records.history.times(
    numberText("", rounded, numbers),
    path,
    numberText(path, median, numbers),
  );
  return { text, stands };
}
