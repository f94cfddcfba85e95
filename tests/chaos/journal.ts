import type { CardView } from "./scenario/channels.js";
import type { PersonId } from "./scenario/people.js";
import type { CallPlan, Move, Place, RunPlan } from "./scenario/plan.js";
import type { policyFiles, ToolInput, ToolName } from "./scenario/tools.js";

/** A violation of an invariant, and where to look. */
export interface Violation {
  /** Short and stable, for tests. */
  name: string;
  invariant: string;
  message: string;
  approvalId?: string | undefined;
  ref?: string | undefined;
  runId?: string | undefined;
}

/** The start of a handler, as the handler itself reported it to the ledger. */
export interface Start {
  at: number;
  tool: ToolName;
  input: ToolInput;
  approvalId: string | null;
  idempotencyKey: string | null;
  /** The grant that approved the call, as far as the checker has read it. */
  grantId?: string | undefined;
}

/** The start of an undo, as its function itself reported it to the ledger. */
export interface UndoStart {
  tool: ToolName;
  input: ToolInput;
  /** What the call that it undoes has returned. */
  outcome: unknown;
  /** The approval of the undo itself. */
  approvalId: string;
  undoneApprovalId: string;
  /** The ledger told it to fail, so that it has taken nothing back. */
  fails: boolean;
}

/** What a person sent about the undo of a call. */
export interface UndoVote {
  /** The approval of the call. */
  call: string;
  who: PersonId;
  type: "ask" | "approve" | "deny";
  /** The status of the answer; `undefined` while there is none. */
  status: number | undefined;
}

/** What a preview asked the ledger about. */
export interface Previewed {
  ref: string;
  amount: number;
  moment: "proposal" | "start";
  approvalId: string | null;
}

/** The view that an approver had before deciding. */
export interface Shown {
  approvalId: string;
  requestId: string;
  call: CallPlan;
  digest: string;
  /** People were shown what the call would change. */
  previewed: boolean;
  tampered: boolean;
}

/** A decision that was sent, and the first clear answer to it. */
export interface Sent {
  approvalId: string;
  move: Move;
  /** The place: a button of the board, or the inbox. */
  place: Place;
  at: number;
  answeredAt: number | undefined;
  /** The status of the answer; `undefined` while there is none. */
  status: number | undefined;
  code: string | undefined;
  /** The person has taken the decision back while it was held. */
  takenBack: boolean;
}

/** A message of the board, with its present content. */
export interface BoardMessage {
  id: string;
  deliveryId: string;
  recipient: string;
  card: CardView;
}

/** A message sent to the feed. */
export interface FeedMessage {
  messageId: string;
  event: string;
  card: CardView;
}

/** The result of one call that the model has read. */
export interface Told {
  content: string;
}

/** Whether a person was asked about the call, and approved it. They may have taken that back. */
export function isApproval({ move }: Sent): boolean {
  return move.type === "approve" || move.type === "edit";
}

/** An approval that its person has not taken back. */
export function isApproving(sent: Sent): boolean {
  return isApproval(sent) && !sent.takenBack;
}

/**
 * All that the driver itself has done and seen. The driver is never killed, so the journal states what really happened.
 * The product's database is judged by the journal, and not the other way round.
 */
export class Journal {
  readonly startedAt = Date.now();
  readonly runs = new Map<number, RunPlan>();
  /** The ids of the engine's runs that have begun to work on a planned run; there must be one. */
  readonly runIds = new Map<number, Set<string>>();
  readonly calls = new Map<string, CallPlan & { run: number; turn: number }>();
  readonly starts: Start[] = [];
  readonly undoStarts: UndoStart[] = [];
  readonly undoVotes: UndoVote[] = [];
  readonly previews: Previewed[] = [];
  /** Those that failed although the ledger answers always. */
  readonly failedPreviews: Previewed[] = [];
  /** When somebody changed the world of a call, by approval. */
  readonly changedWorlds = new Map<string, number>();
  /** The arguments of each approval before somebody changed them in the database, if that was done. */
  readonly changedArguments = new Map<string, string>();
  readonly #versions = new Map<string, number>();
  readonly shown = new Map<string, Shown>();
  readonly sent: Sent[] = [];
  /** The policy files in the order in which they became the present one. */
  readonly policies: { at: number; file: keyof typeof policyFiles }[] = [];
  readonly board: BoardMessage[] = [];
  readonly feed: FeedMessage[] = [];
  /** Messages about the end of a call that the channels left without an answer for some time. */
  readonly held: { approvalId: string; to: number }[] = [];
  readonly told = new Map<string, Told>();
  /** Runs whose next model request has been seen, by run and turn. */
  readonly asked = new Set<string>();
  readonly cancelled = new Set<number>();
  readonly violations: Violation[] = [];
  readonly counts = new Map<string, number>();
  readonly crashes = new Map<string, number>();
  readonly #listeners: (() => void)[] = [];

  addRun(plan: RunPlan): void {
    this.runs.set(plan.index, plan);
    for (const [turn, calls] of plan.turns.entries()) {
      for (const call of calls) this.calls.set(call.ref, { ...call, run: plan.index, turn });
    }
  }

  began(run: number, runId: string): void {
    this.runIds.set(run, (this.runIds.get(run) ?? new Set()).add(runId));
  }

  /** True if the model has given its last answer, or the run was cancelled. */
  isOver({ index, turns }: RunPlan): boolean {
    return this.cancelled.has(index) || this.asked.has(`${index}.${turns.length}`);
  }

  /** The version of the world of a call: 1 before anything has changed it. */
  versionOf(ref: string): number {
    return this.#versions.get(ref) ?? 1;
  }

  changeWorld(ref: string): void {
    this.#versions.set(ref, this.versionOf(ref) + 1);
  }

  /** True if the world of the call was changed before anybody sent an approval of it. */
  isOtherWorld(approvalId: string): boolean {
    const at = this.changedWorlds.get(approvalId);
    if (at === undefined) return false;
    return this.sentFor(approvalId).every((sent) => !isApproving(sent) || sent.at >= at);
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }

  crashed(point: string): void {
    this.crashes.set(point, (this.crashes.get(point) ?? 0) + 1);
  }

  violate(violation: Violation): void {
    const known = this.violations.some(
      ({ name, message }) => name === violation.name && message === violation.message,
    );
    if (known) return;
    this.violations.push(violation);
    for (const listener of this.#listeners) listener();
  }

  onViolation(listener: () => void): void {
    this.#listeners.push(listener);
  }

  sentFor(approvalId: string): Sent[] {
    return this.sent.filter((sent) => sent.approvalId === approvalId);
  }
}
