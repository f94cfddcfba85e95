import { AsyncLocalStorage } from "node:async_hooks";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { HostHistory } from "../../delivery/host-history/host-history.js";
import type { RunStream } from "../stream.js";
import { currentExecution } from "./inngest-context.js";
import type { RunState, Runtime } from "./runtime.js";
import type { Subject, Subjects } from "./subject.js";
import type { Ticket } from "./ticket.js";

/** The guard of an agent: an instance, and the policy profile that the agent is bound to. */
export interface Binding {
  readonly runtime: Runtime;
  readonly profile: string | undefined;
}

/**
 * The guarded run around the code inside it. Agents that a handler, a router or a hook starts find their guard and
 * their subject here.
 */
export interface RunScope extends Binding {
  /** The Inngest execution that the run belongs to; `undefined` outside an Inngest function. */
  readonly execution: object | undefined;
  /** Names of the agents that led here, outermost first. */
  readonly agents: readonly string[];
  /** The agent of this run; `undefined` in a network and in a tool's handler. */
  readonly agent?: object;
  /** The state of the run; `undefined` in a tool's handler, which works for the subject of its call. */
  readonly state?: RunState;
  /** The subject of the call or run that started this one. */
  readonly inherited?: Subject | undefined;
  /** Where the person who asked sees the run, if the host streams it. */
  readonly stream?: RunStream | undefined;
  /** The host's own histories of this run and of the runs around it, which get its approvals. */
  readonly histories: readonly HostHistory[];
  /** The subject of the code inside. */
  subject(): Subject;
}

const scopes = new AsyncLocalStorage<RunScope>();
/** Inside the body of a `step.run`: the execution that it belongs to. */
const stepBodies = new AsyncLocalStorage<object>();

/** The guarded run around the caller. A run of another execution only leaked here and does not count. */
export function currentScope(): RunScope | undefined {
  const scope = scopes.getStore();
  const execution = currentExecution()?.instance;
  return execution === undefined || scope?.execution === execution ? scope : undefined;
}

/** What a guarded run starts with. */
export interface RunBeginning extends Binding {
  state: RunState;
  agents: readonly string[];
  agent?: object;
  stream?: RunStream | undefined;
  /** The history of the network or agent itself. */
  history: HostHistory | undefined;
}

/**
 * Runs an agent or a network in its own scope.
 * @throws CountersignError `invalid_context` if it may not work for the subject that its state names.
 */
export function inRun<T>(beginning: RunBeginning, work: () => T): T {
  const { runtime, state } = beginning;
  const inherited = inheritedBy(state);
  const subject = () => runtime.subjectsFor(state, inherited).subject;
  // A run inside another one fails early if it cannot work. The outermost run may still be filling its state.
  if (inherited) subject();
  const execution = currentExecution()?.instance;
  const { history: own, ...begun } = beginning;
  const around = currentScope()?.histories ?? [];
  const histories = own ? [...around.filter(({ channel }) => channel !== own.channel), own] : around;
  // A replay proposes nothing anew. After a restart, it is where this process meets the histories.
  for (const history of histories) runtime.serveHistory(history);
  return scopes.run({ ...begun, execution, inherited, histories, subject }, work);
}

/** Runs a tool's handler in its own scope: agents that it starts work for the subject of the call. */
export function inHandler<T>(
  { runtime, profile }: Binding,
  { subject, agents }: Pick<Ticket, "subject" | "agents">,
  work: () => T,
): T {
  const execution = currentExecution()?.instance;
  const around = currentScope();
  const stream = around?.stream?.inside();
  const histories = around?.histories ?? [];
  return scopes.run({ runtime, profile, execution, agents, stream, histories, subject: () => subject }, work);
}

/** The tenant, thread and requester of a run with this state. What it leaves out, it inherits from the run around it. */
export function subjectsOf(runtime: Pick<Runtime, "subjectsFor">, state: RunState | undefined): Subjects {
  return runtime.subjectsFor(state, inheritedBy(state));
}

/** Agents of one network share its state, and so what the network inherits. */
function inheritedBy(state: RunState | undefined): Subject | undefined {
  const scope = currentScope();
  return scope?.state && scope.state === state ? scope.inherited : scope?.subject();
}

/** Names of the agents that led to a response of this one, outermost first. */
export function agentsTo(agent: object, name: string): string[] {
  const scope = currentScope();
  const before = scope?.agents ?? [];
  return [...(scope?.agent === agent ? before.slice(0, -1) : before), name];
}

/** The arguments of `step.run`, with a body that knows that it is one. */
export function markStepBody(args: readonly unknown[]): readonly unknown[] {
  const execution = currentExecution()?.instance;
  const [id, body, ...input] = args;
  if (!execution || typeof body !== "function") return args;
  // The SDK starts the body outside of the caller's context.
  const scope = currentScope();
  const marked = (...given: unknown[]) => {
    const work = () => Reflect.apply(body, undefined, given);
    return stepBodies.run(execution, () => (scope ? scopes.run(scope, work) : work()));
  };
  return [id, marked, ...input];
}

/** True inside the body of a `step.run`, where no other step can run. */
export function isInStepBody(): boolean {
  const execution = currentExecution()?.instance;
  return execution !== undefined && stepBodies.getStore() === execution;
}

/**
 * The last line of defence: refuses an inference that AgentKit makes inside a guarded run while no guarded agent is
 * running. Its agent comes from a copy of AgentKit unknown to Countersign. A handler's own inferences are allowed.
 */
export function refusalOfUnguardedInference(stepId: unknown, entry: object): CountersignError | undefined {
  const scope = currentScope();
  const own = scope?.agent !== undefined && scope.agents.at(-1) === stepId;
  return scope && !own && isCalledByAgentKit(entry)
    ? unguardedAgent(
        String(stepId),
        "comes from an unknown copy of @inngest/agent-kit. Use one copy in the process, guard the agent with countersign.guard(agent), and take createCountersign from countersign/agent-kit.",
      )
    : undefined;
}

/**
 * Recognises AgentKit's `Agent.performInference` among the callers by name: bundlers rename files and classes, but keep
 * method names.
 * @param entry The function whose caller is checked.
 */
function isCalledByAgentKit(entry: object): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 10;
  const trace: { stack?: string } = {};
  Error.captureStackTrace(trace, entry as () => void);
  Error.stackTraceLimit = stackTraceLimit;
  const [, caller = "", ...others] = (trace.stack ?? "").split("\n");
  return (
    /@inngest[\\/]agent-kit[\\/]|AgenticModel/.test(caller) ||
    others.some((frame) => /\.performInference \(/.test(frame))
  );
}

export function unguardedAgent(name: string, why: string): CountersignError {
  return new CountersignError(
    "unguarded_agent",
    `The agent "${name}" was started inside a guarded run and cannot be guarded, so it did not run: it ${why}`,
  );
}
