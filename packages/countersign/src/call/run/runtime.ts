import type { Policy } from "@countersign/policy/internal/policy/policy";
import type { Terms } from "@countersign/policy/internal/policy/rules/terms";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import type { InngestFunction } from "inngest";
import type { UndoableTool } from "../../approval/tool-undo.js";
import type { HostHistory } from "../../delivery/host-history/host-history.js";
import type { GateRuntime } from "../../gate/gate.js";
import type { WakeUp } from "../../store/ports/request-port.js";
import type { ModelResponse } from "../message.js";
import type { HandlerState } from "../tool.js";
import type { Subject, Subjects } from "./subject.js";
import type { Ticket } from "./ticket.js";
import type { RunningTurn } from "./turn.js";

/** A response that can be saved, such as AgentKit's results. */
export interface SavableResponse extends ModelResponse {
  export(): object;
}

/** The speaking agent and its network. */
export interface Speaker {
  agent: object;
  network: { history?: object | undefined; state: object } | undefined;
}

/** Saves the agents' results in their threads. */
export interface ResponseRecorder {
  /** Names a response by the request id of its gated calls, even if it has none. Replays find the same name. */
  name(result: object, requestId: string): void;
  /** Saves the final form of an agent's responses, unless they are saved already. */
  record(speaker: Speaker, results: readonly { original: object; result: SavableResponse }[]): Promise<void>;
}

/** Keeps the conversations of agents that are not AgentKit's, in the same threads and the same form. */
export interface Conversations {
  /**
   * Saves the user's message, once for all replays, and returns what was in the thread before it.
   * @throws NonRetriableError if the thread belongs to another owner.
   */
  begin(
    thread: { tenantId: string; threadId: string; ownerId: string | null },
    message: string,
  ): Promise<{ turn: RunningTurn; earlier: ModelResponse[] }>;
  /**
   * Saves a response, unless the run has saved it.
   *
   * @param requestId Of the response's calls; absent for the last response of a turn, which has none.
   */
  save(turn: RunningTurn, response: ModelResponse, requestId?: string): Promise<void>;
  /** Ends the turn, and with it the thread's run. */
  end(turn: RunningTurn): Promise<void>;
}

/** The state of a run, in which AgentKit keeps the id of its thread. */
export interface RunState {
  threadId?: string | undefined;
}

/** Dependencies of reviewing and proposing calls. */
export interface ReviewRuntime extends GateRuntime {
  /** The id of the Inngest client that serves its functions. */
  readonly appId: string;
  /** The option `id`, which tells instances of one client apart. */
  readonly instanceId: string;
  /** There is no policy but the tools' own marks. */
  readonly marksOnly: boolean;
  /** A candidate that is evaluated beside the policy and decides nothing. */
  readonly shadowPolicy: Policy | undefined;
  /** Patterns redacted in every call, in addition to those of the rules. */
  readonly redactPatterns: readonly string[];
  readonly timeoutMs: number;
  /** Names or globs of tools that the host declares durable. */
  readonly durableTools: readonly string[];
  /** How tools undo their calls, by name. */
  readonly undos: ReadonlyMap<string, UndoableTool>;
  /** Tools (by version) whose plain handlers tried to use steps, so that people are not asked about calls that would be refused anyway. */
  readonly stepUsers: Set<string>;
  /**
   * Returns all channels and targets to notify about a call: those that its rules name, and channels that get every
   * approval.
   */
  notifyTargets(named: readonly string[]): string[];
  /** @throws CountersignError `invalid_option` if a tool's mark names a channel that cannot be used so. */
  requireMarkedChannels(toolName: string, mark: Terms): void;
  readonly orchestrator: InngestFunction.Any;
  readonly logger: Logger;
}

/** Dependencies of running calls. */
export interface ExecutionRuntime extends ReviewRuntime {
  readonly tickets: WeakMap<object, Ticket>;
  /** A state for a call outside of a network. */
  newState(): HandlerState;
  /** Aborts when the process is about to end: no further call starts in it. */
  readonly closing: AbortSignal;
  /** Handlers that this process is running: a step that is delivered twice joins the first instead of restarting. */
  readonly inFlight: Map<string, Promise<unknown>>;
}

/** What the parts of one Countersign instance share. Only `create-countersign.ts` makes it. */
export interface Runtime extends ExecutionRuntime {
  readonly tenantId: string;
  /** The turns of threads that run in this process. */
  readonly turns: {
    /** The turn that an agent's prompt belongs to, unless it has ended. */
    present(network: object | undefined, state: object | undefined): RunningTurn | undefined;
  };
  readonly recorder: ResponseRecorder;
  readonly conversations: Conversations;
  /** From now on, this process delivers approvals to this history of the host's. Of one channel, the latest counts. */
  serveHistory(history: HostHistory): void;
  /** Tries to send wake-ups at once. The relay sends those that fail. */
  wake(wakeUps: readonly WakeUp[]): Promise<void>;
  /** Starts the orchestrator of a request for which no run waits. Never fails. */
  openRequest(requestId: string): Promise<void>;
  /** Starts an undo. Never fails: the relay starts those that were not. */
  startUndo(requestId: string): Promise<void>;
  /**
   * The subjects of a run with this state that a run for `inherited` started.
   * @throws CountersignError `invalid_context`
   */
  subjectsFor(state: RunState | undefined, inherited: Subject | undefined): Subjects;
  /** The same, for the guarded run around the caller, if there is one. */
  subjectOfState(state: RunState | undefined): Subject;
  /** The agent as it must run inside a guarded run of this instance. */
  guarded(agent: { name: string }, profile: string | undefined): object;
}
