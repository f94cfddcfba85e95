import type { AsyncContext } from "inngest/experimental";

export type Execution = NonNullable<AsyncContext["execution"]>;

export type StepTools = Execution["ctx"]["step"];

/** Where Inngest stores the context of the current run, shared by all copies of its SDK. */
interface InngestStorage {
  getStore(): { execution?: Execution } | undefined;
  run<T>(store: object, work: () => T): T;
}

function storage(): InngestStorage | undefined {
  const cache: { resolved?: InngestStorage } | undefined = Reflect.get(globalThis, Symbol.for("inngest:als"));
  return cache?.resolved;
}

/** The Inngest execution (one replay of a run) around the caller, or `undefined` outside an Inngest function. */
export function currentExecution(): Execution | undefined {
  return storage()?.getStore()?.execution;
}

/** Hides the run from `work`: code that looks for step tools in Inngest's context finds these and no execution. */
export function withoutExecution<T>(step: object, work: () => T): T {
  const context = storage();
  return context ? context.run({ ctx: { step } }, work) : work();
}
