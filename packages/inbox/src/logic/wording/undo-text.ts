import type { Approval } from "../../api/approval.js";
import { hasUndoEndedInVain, type LatestUndo, mayStillRun, type UndoPhase } from "../undo/undo-phase.js";
import { exactTime } from "./exact-time.js";
import { approversText } from "./rule-text.js";

type Undoable = Pick<Approval, "undo" | "finishedAt">;

/** Below this length, the end of the time is said to the second, in milliseconds. */
const shortMs = 300_000;

/** Until when a call that has run may be undone: "until 14:30", or "at any time". The seconds are cut off. */
export function untilText({ undo, finishedAt }: Undoable, nowMs?: number): string {
  const until = undo?.until ?? null;
  if (until === null) return "at any time";
  const isShort = finishedAt !== null && Date.parse(until) - Date.parse(finishedAt) < shortMs;
  return `until ${exactTime(until, nowMs, isShort ? "second" : "minute")}`;
}

const unitNames: Readonly<Record<string, string>> = {
  s: "second",
  m: "minute",
  h: "hour",
  d: "day",
  w: "week",
};

/** How long a call may be undone after it has run: "within 10 minutes after it has run". */
export function withinText({ undo }: Pick<Approval, "undo">): string {
  const within = undo?.within ?? null;
  if (within === null) return "at any time after it has run";
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?) ?([smhdw])$/.exec(within) ?? [];
  const length = count === undefined ? within : `${count} ${unitNames[unit]}${count === "1" ? "" : "s"}`;
  return `within ${length} after it has run`;
}

/** How long a call may be undone, as one of its terms; `undefined` if it cannot be. */
export function undoTerm(
  approval: Undoable & Pick<Approval, "status">,
  isTimeOver: boolean,
): string | undefined {
  const { undo, status } = approval;
  if (undo === null) return undefined;
  if (undo.undoneAt !== null) return undoneText(approval);
  if (mayStillRun(status)) return `May be undone ${withinText(approval)}`;
  if (status !== "executed") return undefined;
  return isTimeOver ? `Could be undone ${untilText(approval)}` : `May be undone ${untilText(approval)}`;
}

/** When a call was undone. */
export function undoneText({ undo }: Pick<Approval, "undo">): string {
  return undo?.undoneAt ? `Undone at ${exactTime(undo.undoneAt, undefined, "minute")}` : "Undone";
}

/** The undo of a call in a word or two, for rows; `undefined` if the reader can do nothing and nothing was done. */
export function undoMark(
  approval: Undoable & Pick<Approval, "status">,
  isTimeOver: boolean,
): string | undefined {
  const { undo, status } = approval;
  if (undo?.undoneAt) return "Undone";
  if (undo === null || status !== "executed") return undefined;
  if (undo.undoId !== null) return "Undo requested";
  return undo.mayUndo && !isTimeOver ? `Undo ${untilText(approval)}` : undefined;
}

/** What a reader of a call that has run should know about its undo; `undefined` for nothing. */
export function undoNote(approval: Undoable, phase: UndoPhase, latest: LatestUndo): string | undefined {
  const earlier = hasUndoEndedInVain(latest) ? earlierText(latest) : undefined;
  switch (phase) {
    case "possible":
      return earlier
        ? `${earlier} It may be requested again ${untilText(approval)}.`
        : `May be undone ${untilText(approval)}.`;
    case "over":
      return earlier && `${earlier} The time for another one is over.`;
    case "waiting":
      return waitingText(latest);
    case "running":
      return "Its undo is under way.";
    case "hidden":
      return "An undo was requested. You cannot view it.";
    case "uncertain":
      return "Its undo was interrupted and may have happened. Check its effect.";
    case "undone":
      return `${undoneText(approval)}. ${askedText(latest, "Requested by") ?? ""}`.trim();
    default:
      return undefined;
  }
}

function waitingText(latest: LatestUndo): string {
  const asked = askedText(latest, "Undo requested by") ?? "Undo requested.";
  if (latest === undefined || latest === "hidden") return asked;
  if (latest.yourDecisions.includes("approve")) return `${asked} It needs your approval.`;
  return `${asked} It waits for ${approversText(latest.approvers)}.`;
}

function askedText(latest: LatestUndo, words: string): string | undefined {
  const by = latest === undefined || latest === "hidden" ? undefined : latest.undoRequest?.askedBy;
  return by && `${words} ${by}.`;
}

/** What became of an undo that did not happen. */
function earlierText({ status, decision, reason }: Approval): string {
  switch (status) {
    case "denied": {
      const why = decision?.reason ?? (decision?.decidedBy ? null : reason);
      return `${decision?.decidedBy ?? "The policy"} denied its undo${why ? `: “${why}”` : ""}.`;
    }
    case "expired":
      return "Nobody approved its undo in time.";
    case "withdrawn":
      return "Its undo was withdrawn.";
    case "failed":
      return "Its undo ran and failed.";
    default:
      return "Its undo was interrupted, and did not happen.";
  }
}
