import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { fieldLabel, unitAt } from "../arguments/argument-fields.js";
import { amountText } from "../arguments/value-kind.js";
import type { HistoryOutcome } from "../lists/history-query.js";
import { kindOfCall } from "./call-name.js";
import { timesText, unusual } from "./times-text.js";

/** One part of the line about earlier calls. */
export interface HistoryPart {
  text: string;
  /** It is unusual, so it stands out. */
  stands: boolean;
  /** The calls that it counts. @default it counts none */
  counts?: HistoryOutcome;
}

/** What was decided about calls like this one: "41 other refunds for ada in 30 days", "40 approved", "8 × the usual 38 EUR". */
export function historyParts(
  call: Pick<Approval, "history" | "requesterId" | "label" | "toolName" | "units" | "names">,
): HistoryPart[] {
  const { history, requesterId, units, names } = call;
  if (!history || requesterId === null) return [];
  const { calls, more, approved, denied, amount, newValues } = history;
  const texts = words.detail.records.history;
  const kind = kindOfCall(call);
  const nameOf = (path: string) => fieldLabel(path.split("."), names);
  const plain = (text: string): HistoryPart => ({ text, stands: false });
  if (calls === 0) return [plain(texts.noOthers(kind, requesterId))];
  return [
    { ...plain(texts.others(kind, calls, more, requesterId)), counts: "decided" },
    { ...plain(texts.approved(approved)), ...(approved > 0 && { counts: "approved" }) },
    ...(denied > 0 ? [{ ...plain(texts.denied(denied)), counts: "denied" as const }] : []),
    ...(amount
      ? timesPart({ ...amount, name: nameOf(amount.path) }, unitAt(units, amount.path.split(".")))
      : []),
    ...newValues.map((path) => ({ text: texts.newValue(nameOf(path)), stands: true })),
  ];
}

function timesPart(
  { path, name, median, times }: { path: string; name: string; median: number; times: number },
  unit: string | undefined,
): HistoryPart[] {
  if (times < unusual) return [];
  const texts = words.detail.records.history;
  const usual = amountText(path, median, unit);
  return [
    { text: texts.times(timesText(times), usual, unit === undefined ? name : undefined), stands: true },
  ];
}
