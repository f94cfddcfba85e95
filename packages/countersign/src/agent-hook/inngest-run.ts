import { AsyncLocalStorage } from "node:async_hooks";
import { type AsyncContext, getAsyncCtx } from "inngest/experimental";
import { CountersignError } from "../errors.js";

type Execution = NonNullable<AsyncContext["execution"]>;
type StepTools = Execution["ctx"]["step"];

/** The Inngest run that the current code belongs to. */
export interface InngestRun {
  runId: string;
  step: StepTools;
  /** One object for each execution (each replay) of the run; keys what lasts for one execution. */
  execution: object;
  /** True when this is a replay, and the run is known to have gone on past the present place before. */
  hasGoneFurther(): boolean;
}

/** The run around the caller, or `undefined` outside an Inngest function. */
export async function currentRun(): Promise<InngestRun | undefined> {
  const execution = (await getAsyncCtx())?.execution;
  if (!execution) return undefined;
  forbidStepsInPlainHandlers(execution.ctx.step);
  return {
    runId: execution.ctx.runId,
    step: execution.ctx.step,
    execution: execution.instance,
    hasGoneFurther: () => hasUnseenSteps(execution.instance),
  };
}

/** The SDK knows which memoized steps it has not come to yet; where it does not say, we assume none. */
function hasUnseenSteps(instance: object): boolean {
  const state: unknown = Reflect.get(instance, "state");
  if (typeof state !== "object" || state === null) return false;
  const unseen: unknown = Reflect.get(state, "remainingStepsToBeSeen");
  return unseen instanceof Set && unseen.size > 0;
}

interface PlainHandler {
  toolName: string;
  /** Set when the handler reached for a step, so that catching the error does not hide it. */
  violation?: CountersignError;
}

const plainHandler = new AsyncLocalStorage<PlainHandler>();

/**
 * Runs a plain handler inside the step that surrounds it. Inngest's own async context is hidden, so that code
 * which looks for step tools (AgentKit's MCP handlers do) works directly instead of nesting a step, which would
 * never settle; step tools reached in any other way refuse with an error that says what to do.
 */
export async function runPlainHandler<T>(toolName: string, handler: () => Promise<T>): Promise<T> {
  const scope: PlainHandler = { toolName };
  const result = await plainHandler.run(scope, () => withoutInngestContext(handler));
  if (scope.violation) throw scope.violation;
  return result;
}

/** Step tools for a plain handler: every use is refused. */
export function refusingStepTools(toolName: string): StepTools {
  const refuse: StepTools = new Proxy({} as StepTools, {
    get: (_target, name) => {
      if (name === "then") return undefined;
      throw stepInPlainHandler(toolName, String(name));
    },
  });
  return refuse;
}

const guardedTools = new WeakSet<object>();

/** Makes the run's step tools refuse while a plain handler runs; a handler may hold them through a closure. */
function forbidStepsInPlainHandlers(tools: object): void {
  if (guardedTools.has(tools)) return;
  guardedTools.add(tools);
  for (const [name, tool] of Object.entries(tools)) {
    if (typeof tool === "object" && tool !== null) forbidStepsInPlainHandlers(tool);
    if (typeof tool !== "function") continue;
    Reflect.set(tools, name, (...args: unknown[]) => {
      const scope = plainHandler.getStore();
      if (!scope) return Reflect.apply(tool, tools, args);
      scope.violation = stepInPlainHandler(scope.toolName, name);
      return Promise.reject(scope.violation);
    });
  }
}

function stepInPlainHandler(toolName: string, step: string): CountersignError {
  return new CountersignError(
    "step_in_plain_handler",
    `The handler of "${toolName}" used step.${step}, but a gated handler already runs inside a step and steps do not nest. Declare the tool durable: durable(createTool({ name: "${toolName}", … })).`,
  );
}

interface InngestStorage {
  resolved?: { run<T>(store: undefined, work: () => T): T };
}

function withoutInngestContext<T>(work: () => T): T {
  const cache: InngestStorage | undefined = Reflect.get(globalThis, Symbol.for("inngest:als"));
  return cache?.resolved ? cache.resolved.run(undefined, work) : work();
}
