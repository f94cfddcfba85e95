import type { CrashPoint } from "@countersign/policy/internal/shared/crash-point";
import type { StateData } from "@inngest/agent-kit";
import type { Approval, AuditEntry } from "countersign";
import type { Countersign } from "countersign/agent-kit";
import type { ThreadMessage } from "countersign/types";
import type { ScriptedModel } from "../scripted-model/index.js";
import type { CallFilter, SayOptions } from "./options.js";
import type { Choice, Outcome, UndoChoice } from "./people.js";
import type { PlannedFault } from "./simulated-process.js";
import type { AtLeast, StartedRun, StartedTurn } from "./started-run.js";
import type { UnstableHarness } from "./unstable.js";

/** A whole installation in this process, and the actions of a test. Each wait gives up after the option `patience`. */
export interface TestHarness<S extends StateData = StateData> extends AsyncDisposable {
  /** The instance. After a simulated crash, it is another one. */
  readonly countersign: Countersign;
  /** The scripted model and the requests to it. `listen` serves it to model clients of your own. */
  readonly model: ScriptedModel;
  /** Sends a message to the agent, in a new thread or an existing one. Resolves once the run has started. */
  say(text: string, options?: string | SayOptions<S>): Promise<StartedTurn<S>>;
  /**
   * Sends an event to your `functions`. Resolves once the run that it starts has begun. If it starts several runs,
   * `functionId` selects one.
   */
  send(event: { name: string; data?: Record<string, unknown> }, functionId?: string): Promise<StartedRun>;
  /**
   * The calls of the whole harness that wait for a person, oldest first. Resolves once there are at least `count`. Use
   * `pending` of a started run for the calls of that run only.
   * @default 1
   */
  pending<N extends number = 1>(count?: N, filter?: CallFilter): Promise<AtLeast<N>>;
  /** Records one person's decision about a call, with the digest of this `approval`. */
  decide(approval: Approval, choice: Choice): Promise<Outcome>;
  /** Records several people's decisions about one call at the same moment. The outcomes are in the same order. */
  race(approval: Approval, choices: readonly Choice[]): Promise<Outcome[]>;
  /**
   * Answers every pending call from now on. Return `undefined` to leave a call pending. Returns a function that stops
   * it.
   */
  answerAll(answer: (approval: Approval) => Choice | undefined): () => Promise<void>;
  /**
   * Asks for the undo of a call that has run, with the digest of this `approval`. Resolves to the undo, a call of its own,
   * once it is over or waits for people. Its tool must be in `countersign: { undoable }`.
   */
  undo(approval: Approval, choice?: UndoChoice): Promise<Outcome>;
  /** Reads a call once it is over: it has run, or never will. */
  over(call: string | Approval): Promise<Approval>;
  /** Reads the current state of a call. */
  approval(call: string | Approval): Promise<Approval>;
  /** Moves the time forward, by milliseconds or a duration such as `"30m"`. Everything that becomes due happens. */
  advance(duration: string | number): Promise<void>;
  /** The result of a run as JSON, once the run has ended. Throws if the run failed. */
  ended(runId: string): Promise<unknown>;
  /** The saved messages of a conversation. */
  messages(threadId: string): Promise<ThreadMessage[]>;
  /** The audit log, oldest entry first: of one call, or of a tenant, by default the harness's. */
  audit(of?: Approval | { tenantId: string }): Promise<AuditEntry[]>;
  /**
   * Makes the app's process die the next time that it reaches this point. The engine then repeats its requests to a new
   * process without the old one's memory. `decide` rejects if the process dies during it.
   */
  crashAt(point: CrashPoint): PlannedFault;
  /** Loses the next wake-ups of waiting runs on their way to the engine. @default 1 */
  dropWakeUps(count?: number): PlannedFault;
  /**
   * Checks all model requests and all saved conversations against the rules of both OpenAI and Anthropic: each tool
   * call has exactly one result, in its place.
   * @throws Error that lists what would be refused
   */
  assertValidTranscripts(): Promise<void>;
  /** Parts that may change in any version. */
  readonly unstable: UnstableHarness;
}
