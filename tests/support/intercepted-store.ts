import type { Store } from "./store.js";

type Verbs = Omit<Store, "~countersign">;

type Interceptors = {
  [Verb in keyof Verbs]?: (
    carryOut: Verbs[Verb],
    ...args: Parameters<Verbs[Verb]>
  ) => ReturnType<Verbs[Verb]>;
};

/** The same store with interceptors for some of its operations. An interceptor may call the operation or not. */
export function interceptedStore(store: Store, interceptors: Interceptors): Store {
  return new Proxy(store, {
    get(target, verb: keyof Verbs) {
      const carryOut = Reflect.get(target, verb);
      const intercept = interceptors[verb];
      return intercept
        ? (...args: unknown[]) => Reflect.apply(intercept, undefined, [carryOut, ...args])
        : carryOut;
    },
  });
}

/** Does something whenever a call is about to be claimed. */
export function beforeClaim(act: () => void): (store: Store) => Store {
  return (store) =>
    interceptedStore(store, {
      claim: (carryOut, ...args) => {
        act();
        return carryOut(...args);
      },
    });
}
