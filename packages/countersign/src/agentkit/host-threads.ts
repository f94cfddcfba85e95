import { randomUUID } from "node:crypto";
import type { NetworkRun, StateData } from "@inngest/agent-kit";
import { applyStateChanges, observeState, type StateChanges } from "../call/execute/state-changes.js";
import { currentRun } from "../call/run/inngest-run.js";
import { nameInRun } from "../call/run/name-in-run.js";
import { type Binding, currentScope } from "../call/run/run-scope.js";
import { untilStep } from "../call/run/until-step.js";
import { isHostsMethod } from "../delivery/host-history/host-history.js";
import { bindingOfHooks } from "./bindings.js";

/** What AgentKit passes to a history. */
interface HistoryContext {
  state: NetworkRun<StateData>["state"];
  input: string;
  threadId?: string;
  network?: NetworkRun<StateData>;
}

type Method = (context: HistoryContext) => unknown;

/** What AgentKit calls in the function's body, and so again on each replay. */
const methods = ["createThread", "appendUserMessage"] as const;

const wrapped = new WeakSet<object>();

/**
 * Lets the host's history of a network or an agent create its thread, and save the user's message, in a step: once for all
 * replays. A thread that was made anew on each replay would make other calls of the run's calls.
 */
export function keepThreadOf(owner: { name: string }): void {
  const history: unknown = Reflect.get(owner, "history");
  if (typeof history !== "object" || history === null) return;
  for (const name of methods) {
    const own = methodOf(history, name);
    if (!own || wrapped.has(own) || !isHostsMethod(own)) continue;
    const method: Method = (context) =>
      onceInRun(owner.name, name, context, () => Reflect.apply(own, history, [context]));
    wrapped.add(method);
    const property = { value: method, configurable: true, enumerable: true, writable: true };
    // In place, since the host's other methods may need their own object.
    if (Reflect.defineProperty(history, name, property)) continue;
    Reflect.set(owner, "history", Object.create(history, { [name]: property }));
  }
}

/** Without `createThread`, AgentKit makes the thread's id itself, and another one on each replay. */
function methodOf(history: object, name: (typeof methods)[number]): Method | undefined {
  const own: unknown = Reflect.get(history, name);
  if (typeof own === "function") return own as Method;
  const makesId = name === "createThread" && typeof Reflect.get(history, "get") === "function";
  return makesId ? ({ state }) => ({ threadId: state.threadId ?? randomUUID() }) : undefined;
}

async function onceInRun(
  owner: string,
  name: (typeof methods)[number],
  context: HistoryContext,
  work: () => unknown,
): Promise<unknown> {
  const { state, input, threadId, network } = context;
  const binding = currentScope() ?? bindingIn(network);
  const run = binding && (await currentRun());
  // A thread that is there already is not created, and the host's method must not mind being called again.
  if (!run || (name === "createThread" && state.threadId)) return work();
  const { limits, logger } = binding.runtime;
  const named = nameInRun(run.execution, name, owner, input, threadId ?? null);
  const memo: Memo = await run.step.run(`countersign:${name}:${named}`, async (): Promise<Memo> => {
    const toolName = `${name} of "${owner}"`;
    const changes = observeState(state, { toolName, maxBytes: limits.resultBytes, logger });
    const ended = await untilStep(work);
    if (!ended) return { hasSteps: true };
    const { state: changed, note } = changes();
    if (note !== undefined) logger.warn(`${toolName}: ${note}`, {});
    const created: unknown = Object(ended.value).threadId;
    return {
      ...(typeof created === "string" && { threadId: created }),
      ...(changed && { changed }),
    };
  });
  if (memo.hasSteps) return work();
  applyStateChanges(state, memo.changed);
  return memo;
}

/** A step's output. */
interface Memo {
  /** The host's method uses steps itself, so it is called outside of this one. */
  hasSteps?: true;
  threadId?: string;
  /** What it changed in the network's state. */
  changed?: StateChanges;
}

/** The guard of a network that is not guarded itself, but runs guarded agents. */
function bindingIn(network: NetworkRun<StateData> | undefined): Binding | undefined {
  const agents = [...(network?.agents.values() ?? [])];
  return agents.map(({ lifecycles }) => bindingOfHooks(lifecycles)).find((binding) => binding !== undefined);
}
