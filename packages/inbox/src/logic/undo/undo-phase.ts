import type { Approval } from "../../api/approval.js";

/** What the reader knows of the latest undo of a call: the undo, that they may not view it, or nothing yet. */
export type LatestUndo = Approval | "hidden" | undefined;

/**
 * Where a call is on its way to be undone. `possible`: the time lasts, and no undo is under way; `over`: the time is over;
 * `hidden`: somebody asked for the undo, and the reader may not view it; `uncertain`: the undo was interrupted and may have
 * happened; `impossible`: the call cannot be undone, or has not ended as one that can be.
 */
export type UndoPhase =
  | "impossible"
  | "not_run"
  | "possible"
  | "over"
  | "loading"
  | "hidden"
  | "waiting"
  | "running"
  | "uncertain"
  | "undone";

/** Whether a call with this status has not run yet, but may. */
export function mayStillRun(status: Approval["status"]): boolean {
  return ["proposed", "pending", "approved", "executing"].includes(status);
}

export function undoPhase(
  { status, undo }: Pick<Approval, "status" | "undo">,
  latest: LatestUndo,
  isTimeOver: boolean,
): UndoPhase {
  if (undo === null) return "impossible";
  if (undo.undoneAt !== null) return "undone";
  if (mayStillRun(status)) return "not_run";
  if (status !== "executed") return "impossible";
  const left = isTimeOver ? "over" : "possible";
  if (undo.undoId === null) return left;
  if (latest === undefined) return "loading";
  return latest === "hidden" ? "hidden" : phaseOf(latest, left);
}

function phaseOf({ status, resolution }: Approval, left: UndoPhase): UndoPhase {
  switch (status) {
    case "proposed":
    case "pending":
      return "waiting";
    case "interrupted":
      if (resolution?.outcome === "failed") return left;
      return resolution ? "running" : "uncertain";
    case "approved":
    case "executing":
    // It ran, but this copy of the call does not say so yet.
    case "executed":
      return "running";
    default:
      return left;
  }
}

/**
 * Whether the reader may ask for the undo now. They may also if they cannot view an earlier one: if that is still under way,
 * the server answers with it.
 */
export function mayAskForUndo({ undo }: Pick<Approval, "undo">, phase: UndoPhase, isTimeOver: boolean) {
  return undo?.mayUndo === true && (phase === "possible" || (phase === "hidden" && !isTimeOver));
}

/** Whether an undo was tried and certainly did not happen. */
export function hasUndoEndedInVain(latest: LatestUndo): latest is Approval {
  if (latest === undefined || latest === "hidden") return false;
  const { status, resolution } = latest;
  return ["failed", "denied", "expired", "withdrawn"].includes(status) || resolution?.outcome === "failed";
}
