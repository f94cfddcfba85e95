import type { Store } from "countersign";

type Interceptors = {
  [Verb in keyof Store]?: (
    carryOut: Store[Verb],
    ...args: Parameters<Store[Verb]>
  ) => ReturnType<Store[Verb]>;
};

/** The same store with something in front of some of its verbs; each may carry the verb out, or not. */
export function interceptedStore(store: Store, interceptors: Interceptors): Store {
  return new Proxy(store, {
    get(target, verb: keyof Store) {
      const carryOut = Reflect.get(target, verb);
      const intercept = interceptors[verb];
      return intercept
        ? (...args: unknown[]) => Reflect.apply(intercept, undefined, [carryOut, ...args])
        : carryOut;
    },
  });
}
