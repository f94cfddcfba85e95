const hook = Symbol.for("countersign:crash-point");

/** The points between two side effects, in the order in which a call reaches them. */
export const crashPoints = [
  "before-propose",
  "after-propose",
  "before-notified-event",
  "before-announce",
  "before-pending-event",
  "after-announce",
  "before-look",
  "after-look",
  "before-decision",
  "after-decision",
  "after-wake-up",
  "before-relayed-wake-up",
  "after-relayed-wake-up",
  "before-settle",
  "after-settle",
  "before-claim",
  "after-claim",
  "after-handler",
  "after-record",
  "before-durable-claim",
  "after-durable-claim",
  "before-durable-record",
  "after-durable-record",
  "after-superseding",
  "after-withdrawal",
  "before-due-event",
  "after-send",
  "before-public-events",
  "after-public-events",
  /** After what several calls wrote in one statement, before any of them hears of it. */
  "after-group",
] as const;

export type CrashPoint = (typeof crashPoints)[number];

/**
 * Marks a point where a crash matters. Does nothing unless a test has registered a function under the global symbol
 * `countersign:crash-point`; that function may end the process.
 */
export function crashPoint(name: CrashPoint): void {
  const crash: unknown = Reflect.get(globalThis, hook);
  if (typeof crash === "function") crash(name);
}

const registered = new WeakMap<object, (name: CrashPoint) => void>();

/**
 * Calls `reach` at every crash point of this process, after any function registered earlier. Registers nothing if `reach`
 * was registered last and is still there: tests that share a process may have removed it.
 */
export function onCrashPoint(reach: (name: CrashPoint) => void): void {
  const earlier: unknown = Reflect.get(globalThis, hook);
  if (typeof earlier === "function" && registered.get(earlier) === reach) return;
  const crash = (name: CrashPoint) => {
    if (typeof earlier === "function") earlier(name);
    reach(name);
  };
  registered.set(crash, reach);
  Reflect.set(globalThis, hook, crash);
}
