import { inQuotes } from "@countersign/policy/display";
import { lengthText } from "@countersign/policy/internal/display/length-text";
import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { hasUndoEndedInVain, type LatestUndo, mayStillRun, type UndoPhase } from "../undo/undo-phase.js";
import { exactTime } from "./exact-time.js";
import { approversText } from "./rule-text.js";

type Undoable = Pick<Approval, "undo" | "finishedAt">;

/** Below this length, the end of the time is said to the second, in milliseconds. */
const shortMs = 300_000;

/** Until when a call that has run may be undone: "until 14:30", or "at any time". The seconds are cut off. */
export function untilText({ undo, finishedAt }: Undoable, nowMs?: number): string {
  const until = undo?.until ?? null;
  if (until === null) return words.decided.undo.anyTime;
  const isShort = finishedAt !== null && Date.parse(until) - Date.parse(finishedAt) < shortMs;
  return words.decided.undo.until(exactTime(until, nowMs, isShort ? "second" : "minute"));
}

/** How long a call may be undone after it has run: "within 10 minutes after it has run". */
export function withinText({ undo }: Pick<Approval, "undo">): string {
  const within = undo?.within ?? null;
  const texts = words.decided.undo;
  return within === null ? texts.anyTimeAfter : texts.within(lengthText(within, words.display));
}

/** How long a call may be undone, as one of its terms; `undefined` if it cannot be. */
export function undoTerm(
  approval: Undoable & Pick<Approval, "status">,
  isTimeOver: boolean,
): string | undefined {
  const { undo, status } = approval;
  if (undo === null) return undefined;
  if (undo.undoneAt !== null) return undoneText(approval);
  const { mayBe, couldBe } = words.decided.undo;
  if (mayStillRun(status)) return mayBe(withinText(approval));
  if (status !== "executed") return undefined;
  return isTimeOver ? couldBe(untilText(approval)) : mayBe(untilText(approval));
}

/** When a call was undone. */
export function undoneText({ undo }: Pick<Approval, "undo">): string {
  const texts = words.decided.undo;
  return undo?.undoneAt ? texts.undoneAt(exactTime(undo.undoneAt, undefined, "minute")) : texts.undone;
}

/** The undo of a call in a word or two, for rows; `undefined` if the reader can do nothing and nothing was done. */
export function undoMark(
  approval: Undoable & Pick<Approval, "status">,
  isTimeOver: boolean,
): string | undefined {
  const { undo, status } = approval;
  const texts = words.decided.undo;
  if (undo?.undoneAt) return texts.undone;
  if (undo === null || status !== "executed") return undefined;
  if (undo.undoId !== null) return texts.requested;
  return undo.mayUndo && !isTimeOver ? texts.mark(untilText(approval)) : undefined;
}

/** What a reader of a call that has run should know about its undo; `undefined` for nothing. */
export function undoNote(approval: Undoable, phase: UndoPhase, latest: LatestUndo): string | undefined {
  const texts = words.decided.undo;
  const earlier = hasUndoEndedInVain(latest) ? earlierText(latest) : undefined;
  switch (phase) {
    case "possible":
      if (earlier) return `${earlier} ${texts.again(untilText(approval))}`;
      return approval.undo?.mayUndo
        ? texts.youMay(untilText(approval))
        : `${texts.mayBe(untilText(approval))}.`;
    case "over":
      return earlier && `${earlier} ${texts.overAgain}`;
    case "waiting":
      return waitingText(latest);
    case "running":
      return texts.underWay;
    case "hidden":
      return texts.hidden;
    case "uncertain":
      return texts.uncertain;
    case "undone":
      return `${undoneText(approval)}. ${askedText(latest, texts.requestedBy) ?? ""}`.trim();
    default:
      return undefined;
  }
}

function waitingText(latest: LatestUndo): string {
  const texts = words.decided.undo;
  const asked = askedText(latest, texts.undoRequestedBy) ?? texts.undoRequested;
  if (latest === undefined || latest === "hidden") return asked;
  if (latest.yourDecisions.includes("approve")) return `${asked} ${texts.needsYou}`;
  return `${asked} ${texts.waitsFor(approversText(latest.approvers))}`;
}

function askedText(latest: LatestUndo, textOf: (who: string) => string): string | undefined {
  const by = latest === undefined || latest === "hidden" ? undefined : latest.undoRequest?.askedBy;
  return by && textOf(by);
}

/** What became of an undo that did not happen. */
function earlierText({ status, decision, reason }: Approval): string {
  const texts = words.decided.undo;
  switch (status) {
    case "denied": {
      const why = decision?.reason ?? (decision?.decidedBy ? null : reason);
      const denied = decision?.decidedBy ? texts.denied(decision.decidedBy) : texts.policyDenied;
      return `${denied}${why ? `: ${inQuotes(why, words.display)}` : ""}.`;
    }
    case "expired":
      return texts.expired;
    case "withdrawn":
      return texts.withdrawn;
    case "failed":
      return texts.failed;
    default:
      return texts.interrupted;
  }
}
