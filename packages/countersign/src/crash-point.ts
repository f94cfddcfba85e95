const hook = Symbol.for("countersign:crash-point");

/**
 * A named place between two effects where a crash matters. Does nothing, unless a test has put a function under
 * the global symbol `countersign:crash-point`, which may then end the process.
 */
export function crashPoint(name: string): void {
  const crash: unknown = Reflect.get(globalThis, hook);
  if (typeof crash === "function") crash(name);
}
