import type { Approval } from "../api/approval.js";
import { useAskForUndo } from "../data/approvals/use-ask-for-undo.js";
import { useDraft } from "../data/approvals/use-draft.js";
import { useLatestUndo } from "../data/approvals/use-latest-undo.js";
import { useIsOver } from "../data/browser/use-now.js";
import { useOnline } from "../data/browser/use-online.js";
import { mayAskForUndo, type UndoPhase, undoPhase } from "../logic/undo/undo-phase.js";
import { undoNote } from "../logic/wording/undo-text.js";
import { words } from "../words/words.js";

/** The undo of a call that has run: whether the reader may ask for it, and what has become of the latest one. */
export function useUndo(approval: Approval) {
  const { id, digest, undo } = approval;
  const isTimeOver = useIsOver(undo?.until ?? null);
  const latest = useLatestUndo(approval);
  const [draft, changeDraft] = useDraft(id);
  const send = useAskForUndo(id);
  const online = useOnline();
  const phase = undoPhase(approval, latest, isTimeOver);
  const possible = mayAskForUndo(approval, phase, isTimeOver);
  // A request that succeeded closes the panel.
  const isSent = send.isPending || send.isSuccess;
  const lapsed = possible || isSent ? undefined : lapsedText(phase, isTimeOver);
  const texts = words.decide.undo;
  const blocked = !online ? texts.offline : isSent ? texts.sending : lapsed;
  return {
    latest,
    phase,
    note: undoNote(approval, phase, latest),
    possible,
    /** Why this can no longer be requested, if that changed while the reader typed. */
    lapsed,
    blocked,
    error: send.error,
    sending: send.isPending,
    reason: draft.undoReason,
    changeReason: (undoReason: string) => changeDraft({ undoReason }),
    /** Asks for the undo. Returns whether it was requested. */
    async ask(): Promise<boolean> {
      if (blocked) return false;
      const reason = draft.undoReason.trim();
      // The mutation's state shows the error.
      const asked = await send
        .mutateAsync({ digest, ...(reason !== "" && { reason }) })
        .catch(() => undefined);
      if (asked) changeDraft({ undoReason: "" });
      return asked !== undefined;
    },
    /** Drops what became of the last request. */
    forget: send.reset,
  };
}

function lapsedText(phase: UndoPhase, isTimeOver: boolean): string {
  const texts = words.decide.undo;
  if (["waiting", "running", "hidden", "uncertain", "undone"].includes(phase)) return texts.alreadyRequested;
  return isTimeOver ? texts.timeOver : texts.impossible;
}

export type Undoing = ReturnType<typeof useUndo>;
