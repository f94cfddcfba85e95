import type { StateData } from "@inngest/agent-kit";
import type { Approval } from "countersign";
import type { ThreadMessage } from "countersign/types";
import type { SayOptions } from "./options.js";

/** At least `N` calls, so that `const [call] = await run.pending()` is never undefined. */
export type AtLeast<N extends number, Calls extends Approval[] = []> = number extends N
  ? Approval[]
  : Calls["length"] extends N
    ? [...Calls, ...Approval[]]
    : AtLeast<N, [...Calls, Approval]>;

/** A run of one of your functions. */
export interface StartedRun<Output = unknown> {
  readonly runId: string;
  /**
   * The calls of this run that wait for a person, oldest first. Resolves once there are at least `count`, and fails at
   * once if the run ends before.
   * @default 1
   */
  pending<N extends number = 1>(count?: N): Promise<AtLeast<N>>;
  /** The result of the run as JSON, once the run has ended. Throws if the run failed. */
  ended(): Promise<Output>;
}

/** A message to the agent, the run that it started, and its conversation. `ended` returns the data of the state. */
export interface StartedTurn<S extends StateData = StateData> extends StartedRun<S> {
  readonly threadId: string;
  /** Like `pending` of any run, but also includes calls of earlier runs of the conversation. */
  pending<N extends number = 1>(count?: N): Promise<AtLeast<N>>;
  /** Sends another message in this conversation, for the same requester and tenant. */
  say(text: string, options?: Omit<SayOptions<S>, "threadId" | "tenantId">): Promise<StartedTurn<S>>;
  /** The saved messages of the conversation. */
  messages(): Promise<ThreadMessage[]>;
}

/** A run in the form of the engine's API. */
export interface RunView {
  run_id: string;
  function_id: string;
  status: string;
  output: unknown;
}

export const hasEnded = ({ status }: RunView) => status !== "Running" && status !== "Queued";

/** Describes a run in the error of a wait that timed out. */
export function describeRun(run: RunView): string {
  return run.output === null || !hasEnded(run)
    ? `the run's status is ${run.status}`
    : `the run's status is ${run.status}, and it returned ${JSON.stringify(run.output)}`;
}
