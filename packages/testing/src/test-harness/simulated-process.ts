import { AsyncLocalStorage } from "node:async_hooks";
import { type CrashPoint, onCrashPoint } from "@countersign/policy/internal/shared/crash-point";
import type { Store } from "countersign";

/** A fault that a test has planned. */
export interface PlannedFault {
  /** How often the fault has happened so far. */
  readonly happened: number;
}

/** Simulates an app's process. It can die at a crash point. Nothing that it does afterwards has an effect. */
export interface SimulatedProcess {
  /** The point at which the process died; `undefined` while it lives. */
  readonly diedAt: CrashPoint | undefined;
  /**
   * Runs `work` as code of this process.
   * @throws ProcessDied if the process dies before `work` completes
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Wraps a function so that it never resolves once the process is dead. */
  whileAlive<A extends unknown[], T>(call: (...args: A) => Promise<T>): (...args: A) => Promise<T>;
  /** Wraps a listener so that it hears what this process does, and what no process does if it is the running one. */
  hearing<T>(listener: (value: T) => void): (value: T) => void;
}

/** The process died before the work completed. */
export class ProcessDied extends Error {
  override readonly name = "ProcessDied";
}

/** Whether the process dies at this point. */
type Fate = (point: CrashPoint) => boolean;

const running = new AsyncLocalStorage<(point: CrashPoint) => void>();
/** The asynchronous context tells which simulated process has reached the point. */
const reachRunning = (point: CrashPoint) => running.getStore()?.(point);

/** @param isRunning Whether the process is the one that is running, and none for a single request or of an old version. */
export function createSimulatedProcess(dies: Fate, isRunning: () => boolean): SimulatedProcess {
  onCrashPoint(reachRunning);

  let diedAt: CrashPoint | undefined;
  let die: (error: ProcessDied) => void = () => {};
  const death = new Promise<never>((_, reject) => {
    die = reject;
  });
  death.catch(() => {});

  const reach = (point: CrashPoint) => {
    if (diedAt !== undefined || !dies(point)) return;
    diedAt = point;
    const died = new ProcessDied(`The process died at "${point}"`);
    die(died);
    // Ends the code that reached this point. What it does in `catch` and `finally` reaches neither the database nor the
    // engine.
    throw died;
  };
  const never = new Promise<never>(() => {});
  return {
    get diedAt() {
      return diedAt;
    },
    run: (work) => running.run(reach, () => Promise.race([death, work()])),
    whileAlive:
      (call) =>
      async (...args) => {
        if (diedAt !== undefined) return never;
        const answer = await call(...args);
        return diedAt === undefined ? answer : never;
      },
    hearing: (listener) => (value) => {
      const current = running.getStore();
      if (current === undefined ? isRunning() : current === reach) listener(value);
    },
  };
}

/** Each process hears only of its own commits. */
const listening: ReadonlySet<string | symbol> = new Set(["observe", "onDue", "onTransitions"]);

/** The same store, for the code of one simulated process. */
export function storeOf({ whileAlive, hearing }: SimulatedProcess, store: Store): Store {
  return new Proxy(store, {
    get(target, verb, receiver) {
      const value: unknown = Reflect.get(target, verb, receiver);
      // It is synchronous, and does not change the database.
      if (typeof value !== "function" || verb === "exportAudit") return value;
      if (listening.has(verb))
        return (listener: (heard: unknown) => void) => Reflect.apply(value, target, [hearing(listener)]);
      return whileAlive(async (...args: unknown[]) => Reflect.apply(value, target, args));
    },
  });
}
