import type { BulkObstacle } from "../logic/decisions/bulk-rules.js";
import type { Choice } from "../logic/lists/batch-plan.js";

/** What the tables of a dialog share. */
export interface BatchControls {
  choices: ReadonlyMap<string, Choice>;
  /** Whether the decisions are on their way or made, so that nothing can be chosen. */
  isFixed: boolean;
  onChoose: (id: string, choice: Choice) => void;
  /** Why calls cannot be approved together. */
  obstacles: ReadonlyMap<string, BulkObstacle>;
  /** Whether a chosen call counts in the sum below the table. */
  isCounted: (id: string) => boolean;
  /** Chooses the reason for denying that has this key. Returns whether it has chosen one. */
  onReasonKey: (key: string) => boolean;
  /** What became of each call that was decided. */
  outcomes: ReadonlyMap<string, { ok: boolean; text: string }> | undefined;
  /** The call whose time to be read counts now: one after the other, as people read. */
  readingId: string | undefined;
  /** Reports when all of a row comes to the screen, and when it leaves. */
  onScreen: (id: string, is: boolean) => void;
  /** Opens the page of a call. */
  onOpen: (id: string) => void;
}
