import type { CountersignError } from "@countersign/policy/internal/shared/errors";
import { Agent, Network, State, type StateData } from "@inngest/agent-kit";
import { currentExecution } from "../call/run/inngest-context.js";
import { watchSteps } from "../call/run/inngest-run.js";
import { notRetriable } from "../call/run/mistake.js";
import { refusalInPlainHandler } from "../call/run/plain-handler.js";
import { currentScope, inRun, isInStepBody, unguardedAgent } from "../call/run/run-scope.js";
import { asNetworkRun } from "../call/run/turn.js";
import { stopBeforeStep } from "../call/run/until-step.js";
import { hostHistoryOf } from "../delivery/host-history/host-history.js";
import { classWithRun, isAgent, isNetwork } from "./agent-kit-shapes.js";
import { bindingOfHooks, bindingOfNetwork } from "./bindings.js";
import { keepThreadOf } from "./host-threads.js";
import { loadedCopies } from "./loaded-copies.js";
import { streamedRun } from "./streaming/streaming.js";
import { misplacedLifecycle, notePlaced, notePlacedAtCreation } from "./unplaced-lifecycles.js";

type Run = (...args: unknown[]) => unknown;
/** Wraps a run. `run` is AgentKit's own method, to be called with `args`. */
type Around<T> = (subject: T, args: unknown[], run: Run) => unknown;

const guardedClasses = new WeakSet<object>();

/** Guards the runs of all agents and networks of AgentKit's own classes, in all loaded copies. */
export function guardRuns(): void {
  for (const copy of [{ Agent, Network }, ...loadedCopies()]) {
    guardRunsOfAgents(copy.Agent.prototype);
    guardRunsOfClass(copy.Network.prototype, runNetwork);
  }
}

/**
 * Guards the runs of all agents and networks of the same classes as `subjects`, which may come from another copy of
 * AgentKit.
 */
export function guardRunsLike(...subjects: unknown[]): void {
  for (const subject of subjects) {
    if (isNetwork(subject)) guardRunsOfClass(classWithRun(subject), runNetwork);
    else if (isAgent(subject)) guardRunsOfAgents(classWithRun(subject));
  }
}

function guardRunsOfAgents(prototype: object | undefined): void {
  if (guardRunsOfClass(prototype, runAgent)) notePlacedAtCreation(prototype);
}

/** True if the class was not guarded before. */
function guardRunsOfClass<T extends object>(
  prototype: object | undefined,
  around: Around<T>,
): prototype is object {
  if (!prototype || guardedClasses.has(prototype)) return false;
  guardedClasses.add(prototype);
  const run: Run = Reflect.get(prototype, "run");
  Object.defineProperty(prototype, "run", {
    configurable: true,
    writable: true,
    value(this: T, ...args: unknown[]) {
      return around(this, args, run);
    },
  });
  return true;
}

/** Runs an agent: with its own guard, with the guard of the run around it, or unchanged if nothing is guarded. */
function runAgent(agent: Agent<StateData>, args: unknown[], run: Run): unknown {
  const refusal = refusalInPlainHandler(`ran the agent "${agent.name}"`);
  if (refusal) return Promise.reject(refusal);
  const scope = currentScope();
  notePlaced(agent.lifecycles);
  const binding = bindingOfHooks(agent.lifecycles) ?? scope;
  const [input, options, ...others] = args as [unknown, Agent.RunOptions<StateData> | undefined];
  if (!binding) {
    const mistake = misplacedLifecycle([agent], options?.network ?? agent);
    return unguardedRun(mistake, () => Reflect.apply(run, agent, args));
  }
  keepThreadOf(agent);
  const { runtime, profile } = binding;
  // AgentKit would make the same state. Making it here tells us which state belongs to this run.
  const state = options?.state ?? options?.network?.state ?? new State<StateData>();
  return guardedRun(agent.name, async () => {
    const guarded = runtime.guarded(agent, profile);
    const agents = [...(scope?.agents ?? []), agent.name];
    // AgentKit ignores the streaming of an agent in a network.
    const own = options?.network ? undefined : streamedRun(options?.streaming);
    const stream = own?.stream ?? scope?.stream;
    const history = hostHistoryOf("agent", agent);
    return inRun({ runtime, profile, state, agents, agent: guarded, stream, history }, () =>
      Reflect.apply(run, guarded, [input, { ...options, state, ...own?.options }, ...others]),
    );
  });
}

function runNetwork(network: Network<StateData>, args: unknown[], run: Run): unknown {
  const refusal = refusalInPlainHandler(`ran the network "${network.name}"`);
  if (refusal) return Promise.reject(refusal);
  const scope = currentScope();
  const binding = bindingOfNetwork(network) ?? scope;
  if (binding || hasGuardedAgent(network)) keepThreadOf(network);
  if (!binding) {
    const mistake = misplacedLifecycle([...network.agents.values()], network);
    return unguardedRun(mistake, () => Reflect.apply(run, network, args));
  }
  const [input, overrides, ...others] = args as Network.RunArgs<StateData>;
  const { runtime, profile } = binding;
  const state = stateOf(network, overrides?.state);
  return guardedRun(network.name, async () => {
    const own = streamedRun(overrides?.streaming);
    const stream = own?.stream ?? scope?.stream;
    const history = hostHistoryOf("network", network);
    return inRun({ runtime, profile, state, agents: scope?.agents ?? [], stream, history }, () =>
      asNetworkRun(async () =>
        Reflect.apply(run, network, [input, { ...overrides, state, ...own?.options }, ...others]),
      ),
    );
  });
}

function hasGuardedAgent({ agents }: Network<StateData>): boolean {
  return [...agents.values()].some(({ lifecycles }) => bindingOfHooks(lifecycles) !== undefined);
}

/** Runs what no instance guards, unless it was meant to be guarded. */
function unguardedRun(mistake: CountersignError | undefined, work: () => unknown): unknown {
  if (!mistake) return work();
  return Promise.reject(currentExecution() ? notRetriable(mistake) : mistake);
}

async function guardedRun(name: string, work: () => Promise<unknown>): Promise<unknown> {
  await stopBeforeStep();
  const scope = currentScope();
  if (scope && isInStepBody()) {
    const why = "was started inside step.run, and steps cannot be nested. Start it outside of the step.";
    throw notRetriable(unguardedAgent(name, why));
  }
  const execution = currentExecution();
  if (execution) watchSteps(execution.ctx.step);
  guardRuns();
  try {
    return await work();
  } catch (error) {
    // Inside another run the error is a tool's result; here it fails the function.
    throw execution && !scope ? notRetriable(error) : error;
  }
}

/** The state that AgentKit would make for this run of the network. */
function stateOf(
  network: Network<StateData>,
  given: State<StateData> | Record<string, unknown> | undefined,
): State<StateData> {
  const StateOfCopy = network.state.constructor as typeof State<StateData>;
  if (given instanceof StateOfCopy) return given;
  if (!given) return network.state.clone();
  const { data = {}, _messages: messages = [], _results: results = [] } = given as PlainState;
  return new StateOfCopy({ data, messages, results });
}

interface PlainState {
  data?: StateData;
  _messages?: State<StateData>["messages"];
  _results?: State<StateData>["results"];
}
