/** What an undo is told beside the arguments and the outcome. */
export interface UndoContext {
  /** The undo's own approval, and the key that makes undoing again safe. */
  approval: { id: string; idempotencyKey: string };
  /** The approval of the call that is undone. Its tool had it as its own idempotency key. */
  undoneApprovalId: string;
  tenantId: string;
}

/**
 * Takes a call back. Runs at most once for each approved undo, outside of the agent's run, and must not use step tools.
 *
 * @param input The arguments that the call ran with.
 * @param outcome What the tool returned, as JSON holds it.
 */
export type Undo<Input = Record<string, unknown>, Outcome = unknown> = (
  input: Input,
  outcome: Outcome,
  context: UndoContext,
) => unknown;

/** How a tool undoes its calls. */
export interface ToolUndo {
  undo: Undo;
  /** True if it may safely run again with the same `idempotencyKey` after a crash in the middle. */
  idempotent: boolean;
}

/** How the calls of a tool in `undoable` are undone. */
export interface UndoableTool extends ToolUndo {
  /** The tool's version, by which its calls are told from those of other tools of its name. */
  version(): Promise<string>;
}
