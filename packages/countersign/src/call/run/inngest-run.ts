import { createHash } from "node:crypto";
import { engineData } from "@countersign/policy/internal/shared/engine-text";
import * as z from "zod";
import { currentExecution, type StepTools } from "./inngest-context.js";
import { refusalInPlainHandler } from "./plain-handler.js";
import { markStepBody, refusalOfUnguardedInference } from "./run-scope.js";
import { stopBeforeStep } from "./until-step.js";

/** The Inngest run that the current code belongs to. */
export interface InngestRun {
  runId: string;
  /** The run that invoked this one with `step.invoke`; `null` for all others. */
  parentRunId: string | null;
  /** The id of the event that started the run. */
  eventId: string | undefined;
  step: StepTools;
  /** One object per execution (per replay) of the run, as a key for what lasts for one execution. */
  execution: object;
  /** How often the run's current request has failed and been retried, from 0. */
  attempt: number;
  /** True if a failure of this request would fail the run. */
  isLastAttempt: boolean;
  /** True if this is a replay, and the run is known to have gone past this point before. */
  hasGoneFurther(): boolean;
  /** True if this request is to run one step that was planned before, and the run has not reached it yet. */
  isOnItsWayToLaterStep(): boolean;
  /**
   * True if another part of the function waits for a step. The SDK then ends the request as soon as only steps are
   * pending. Code that waits here for anything else is cut off, and continues when that step has ended.
   *
   * @param except The id of a step that does not count.
   */
  hasStepsInFlight(except?: string): boolean;
  /** Outputs of steps that earlier replays have run and this one has not arrived at, except of steps with these ids. */
  unseenOutputs(except: readonly string[]): unknown[];
  /** Steps of the run so far: those with results and those in progress. */
  countSteps(): number;
  /** True if the run has the result of this step, or this request is to run it. */
  knowsStep(id: string): boolean;
}

/** The run around the caller, or `undefined` outside an Inngest function. */
export async function currentRun(): Promise<InngestRun | undefined> {
  const execution = currentExecution();
  if (!execution) return undefined;
  await stopBeforeStep();
  watchSteps(execution.ctx.step);
  return {
    runId: execution.ctx.runId,
    parentRunId: parentOf(execution.ctx.event),
    eventId: idOf(execution.ctx.event),
    step: execution.ctx.step,
    execution: execution.instance,
    attempt: execution.ctx.attempt,
    isLastAttempt: execution.ctx.attempt + 1 >= (execution.ctx.maxAttempts ?? 1),
    hasGoneFurther: () => hasUnseenSteps(execution.instance),
    isOnItsWayToLaterStep: () => {
      const wanted = wantedStep(execution.instance);
      return wanted !== undefined && !partOfState(execution.instance, "steps", Map)?.has(wanted);
    },
    hasStepsInFlight: (except) => {
      const own = except === undefined ? undefined : hashOf(except);
      const found = [...(partOfState(execution.instance, "steps", Map) ?? [])];
      return found.some(([id, step]) => id !== own && Object(step).fulfilled === false);
    },
    unseenOutputs: (except) => {
      const unseen = new Set(partOfState(execution.instance, "remainingStepsToBeSeen", Set));
      for (const id of except) unseen.delete(hashOf(id));
      const memoized = partOfState(execution.instance, "stepState", Object) ?? {};
      return [...unseen].map((id) => Object(Reflect.get(memoized, String(id))).data as unknown);
    },
    countSteps: () => {
      const memoized = Object.keys(partOfState(execution.instance, "stepState", Object) ?? {});
      const met = partOfState(execution.instance, "steps", Map)?.keys() ?? [];
      return new Set([...memoized, ...met]).size;
    },
    knowsStep: (id) => {
      const hashed = hashOf(id);
      const memoized = partOfState(execution.instance, "stepState", Object);
      return wantedStep(execution.instance) === hashed || (memoized !== undefined && hashed in memoized);
    },
  };
}

const invocation = z.object({
  name: z.literal("inngest/function.invoked"),
  data: z.object({ _inngest: z.object({ correlation_id: z.string().regex(/^[^.]+\./) }) }),
});

const withId = z.object({ id: z.string() });

function idOf(event: unknown): string | undefined {
  return withId.safeParse(event).data?.id;
}

/** An invocation's correlation id begins with the id of the invoking run. */
function parentOf(event: unknown): string | null {
  const invoked = invocation.safeParse(event);
  return invoked.success ? (invoked.data.data._inngest.correlation_id.split(".")[0] ?? null) : null;
}

/** The SDK knows which memoized steps it has not reached yet. If it does not say, we assume none. */
function hasUnseenSteps(instance: object): boolean {
  return (partOfState(instance, "remainingStepsToBeSeen", Set)?.size ?? 0) > 0;
}

function hashOf(stepId: string): string {
  return createHash("sha1").update(stepId).digest("hex");
}

/** The hash of the step that the engine wants this request to run, if it names one. */
function wantedStep(instance: object): string | undefined {
  const options: unknown = Reflect.get(instance, "options");
  if (typeof options !== "object" || options === null) return undefined;
  const wanted: unknown = Reflect.get(options, "requestedRunStep");
  return typeof wanted === "string" && wanted !== "" ? wanted : undefined;
}

/** A part of the SDK's execution state, if it has the expected type. */
function partOfState<T extends object>(
  instance: object,
  name: string,
  kind: abstract new (...args: never[]) => T,
): T | undefined {
  const state: unknown = Reflect.get(instance, "state");
  if (typeof state !== "object" || state === null) return undefined;
  const part: unknown = Reflect.get(state, name);
  return part instanceof kind ? part : undefined;
}

const watched = new WeakSet<object>();

/**
 * Wraps the run's step tools in place. A plain handler that holds them through a closure is refused, an agent that
 * escaped the guard makes no inference, a step's body knows that it is one and does not run again once it has ended, and an
 * engine carries what our steps return.
 */
export function watchSteps(tools: object, path = "step"): void {
  if (watched.has(tools)) return;
  watched.add(tools);
  for (const [name, tool] of Object.entries(tools)) {
    const at = `${path}.${name}`;
    if (typeof tool === "object" && tool !== null) watchSteps(tool, at);
    if (typeof tool !== "function") continue;
    Reflect.set(tools, name, function watchedStep(...args: unknown[]) {
      const stopped = stopBeforeStep();
      if (stopped) return stopped;
      const refusal =
        refusalInPlainHandler(`used ${at}`) ??
        (at === "step.ai.infer" ? refusalOfUnguardedInference(args[0], watchedStep) : undefined);
      if (refusal) return Promise.reject(refusal);
      return Reflect.apply(
        tool,
        tools,
        at === "step.run" ? endingOnce(carriedOutput(markStepBody(args))) : args,
      );
    });
  }
}

/**
 * Gives a step that has ended its output in place of running it. If the engine asks for such a step, the SDK runs it again, after the
 * code that follows has read the output and changed what the step reads.
 */
function endingOnce(args: readonly unknown[]): readonly unknown[] {
  const execution = currentExecution()?.instance;
  const [id, body, ...input] = args;
  if (!execution || typeof body !== "function") return args;
  const once = (...given: unknown[]) => {
    const output = outputOfRunningStep(execution);
    return output === undefined ? Reflect.apply(body, undefined, given) : output;
  };
  return [id, once, ...input];
}

/** The output that the engine has sent of the step whose body runs. */
function outputOfRunningStep(instance: object): unknown {
  const id: unknown = Object(partOfState(instance, "executingStep", Object)).id;
  const memoized = partOfState(instance, "stepState", Object);
  return memoized && typeof id === "string" ? Object(Reflect.get(memoized, id)).data : undefined;
}

/** Replaces unpaired surrogates in the output of a step of Countersign, which may repeat any text of a model or server. */
function carriedOutput(args: readonly unknown[]): readonly unknown[] {
  const [id, body, ...input] = args;
  if (typeof id !== "string" || !id.startsWith("countersign:") || typeof body !== "function") return args;
  const carried = async (...given: unknown[]) => engineData(await Reflect.apply(body, undefined, given));
  return [id, carried, ...input];
}
