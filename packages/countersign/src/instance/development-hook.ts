import type { Countersign } from "./countersign.js";

const key = Symbol.for("countersign:on-instance");

/** Calls a listener with each instance that this process makes from now on, in development only. */
export function onInstance(listener: (instance: Countersign) => void): void {
  Reflect.set(globalThis, key, listener);
}

/** Tells the listener about an instance. */
export function announceInstance(instance: Countersign): void {
  const listener: unknown = Reflect.get(globalThis, key);
  if (typeof listener === "function" && process.env.NODE_ENV !== "production") listener(instance);
}
