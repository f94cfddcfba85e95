import type { Recorded } from "./ports/audit-port.js";
import type { Store } from "./store.js";

/** Listeners are kept here until there is a store that calls them. */
type Listening = { [Name in "observe" | "onDue" | "onTransitions"]: Parameters<Store[Name]>[0] };

/**
 * A store that is opened by its first verb. If that fails, so does the verb, and the next one tries again. What only listens
 * opens nothing.
 */
export function deferredStore(open: () => Promise<Store> | Store): Store {
  const listeners = new Set<(store: Store) => void>();
  let store: Store | undefined;
  let opening: Promise<Store> | undefined;
  const openNow = async () => {
    const found = await open();
    for (const attach of listeners) attach(found);
    store = found;
    return found;
  };
  const opened = (): Promise<Store> => {
    if (!opening) {
      opening = openNow();
      opening.catch(() => {
        opening = undefined;
      });
    }
    return opening;
  };
  const listening =
    <Name extends keyof Listening>(name: Name) =>
    (listener: Listening[Name]) => {
      let stop: (() => void) | undefined;
      const attach = (to: Store) => {
        stop = Reflect.apply(to[name], to, [listener as never]);
      };
      listeners.add(attach);
      if (store) attach(store);
      return () => {
        listeners.delete(attach);
        stop?.();
      };
    };
  const own: Partial<Store> = {
    observe: listening("observe") as (observer: (recorded: Recorded) => void) => () => void,
    onDue: listening("onDue"),
    onTransitions: listening("onTransitions"),
    async *exportAudit(...args) {
      yield* (await opened()).exportAudit(...args);
    },
    withVerbs: (make) => deferredVerbs(async () => (await opened()).withVerbs(make)),
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
  return deferredVerbs(opened, own);
}

/** The verbs of an object that is opened by the first of them. */
function deferredVerbs<Verbs extends object>(opened: () => Promise<Verbs>, own: Partial<Verbs> = {}): Verbs {
  return new Proxy(own as Verbs, {
    get(known, name) {
      // An object with `then` would be taken for a promise.
      if (Reflect.has(known, name) || typeof name === "symbol" || name === "then") {
        return Reflect.get(known, name);
      }
      return async (...args: unknown[]) => {
        const verbs: object = await opened();
        return Reflect.apply(Reflect.get(verbs, name), verbs, args);
      };
    },
  });
}
