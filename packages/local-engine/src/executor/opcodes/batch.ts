import type { RegisteredFunction } from "../../apps/registry.js";
import type { Core } from "../../core.js";
import { canonicalJson } from "../../protocol/canonical-json.js";
import type { RunError } from "../../protocol/errors.js";
import { byteLength } from "../../protocol/limits.js";
import type { AiGatewayOpts, Opcode } from "../../protocol/opcodes.js";
import type { RunState, StoredStep } from "../../store/run-state.js";
import type { NewStep, NewWait, QueueItem, Run } from "../../store/schema.js";
import { nextPosition } from "../../store/steps.js";
import type { Write } from "../../store/write.js";

/** A model call that the engine makes for a step. */
export interface ModelCall {
  stepId: string;
  opts: AiGatewayOpts;
}

/** The opcodes of one response, and their combined effect before anything is written. */
export class Batch {
  readonly steps: NewStep[] = [];
  readonly waits: NewWait[] = [];
  readonly plannedSteps: string[] = [];
  readonly modelCalls: ModelCall[] = [];
  /** Starts the invoked runs, once their waits are registered. */
  readonly invokes: Array<() => Promise<void>> = [];
  completion: { data: unknown } | undefined;
  /** A step failed and may be tried again. */
  retry = false;
  /** Why the run must fail. */
  failure: string | RunError | undefined;
  /** A completed step requires its own discovery request. */
  raceStepCompleted = false;

  /** The steps as they are after the opcodes read so far. */
  readonly #statuses: Map<string, Pick<StoredStep, "status" | "owner" | "bytes">>;
  #nextPosition: number;

  constructor(
    readonly core: Core,
    readonly write: Write,
    readonly fn: RegisteredFunction,
    readonly state: RunState,
    readonly item: QueueItem,
  ) {
    this.#statuses = new Map(state.steps);
    this.#nextPosition = nextPosition(state);
  }

  get run(): Run {
    return this.state.run;
  }

  /** Whether a step is new. A function reports its outstanding steps again in each response. */
  isNew(stepId: string): boolean {
    return !this.#statuses.has(stepId);
  }

  isDone(stepId: string): boolean {
    return this.#statuses.get(stepId)?.status === "done";
  }

  /** Whether another request is running the step. */
  isOwnedByAnother(stepId: string): boolean {
    const status = this.#statuses.get(stepId);
    return status !== undefined && status.owner !== this.item.id;
  }

  get stepCount(): number {
    return this.#statuses.size;
  }

  /** The size of the run's state in bytes: its event and the results of its steps. */
  get stateBytes(): number {
    const results = [...this.#statuses.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    return byteLength(this.run.event) + results;
  }

  get pendingCount(): number {
    return [...this.#statuses.values()].filter(({ status }) => status === "pending").length;
  }

  get hasCompletedSteps(): boolean {
    return this.steps.some(({ status }) => status === "done");
  }

  /** Adds a step that is still pending. */
  addPending(op: Opcode, owner: string | null = null): void {
    this.#add({ runId: this.run.id, id: op.id, status: "pending", mode: modeOf(op), owner });
  }

  /** Memoizes a step. */
  addDone(op: Opcode, state: unknown): void {
    const position = this.#nextPosition++;
    if (modeOf(op) === "race") this.raceStepCompleted = true;
    this.#add({
      runId: this.run.id,
      id: op.id,
      status: "done",
      mode: modeOf(op),
      owner: null,
      position,
      state: canonicalJson(state),
    });
  }

  #add(step: NewStep): void {
    const known = this.steps.findIndex(({ id }) => id === step.id);
    if (known >= 0) this.steps.splice(known, 1);
    this.steps.push(step);
    this.#statuses.set(step.id, {
      status: step.status,
      owner: step.owner ?? null,
      bytes: byteLength(step.state ?? ""),
    });
  }
}

function modeOf(op: Opcode): string | null {
  const mode = op.opts?.parallelMode;
  return typeof mode === "string" ? mode : null;
}
