import type { retentionVerbs, Store } from "./store.js";

/** Interceptors for some operations. An interceptor may call the operation or not. */
type Interceptors<Verbs> = {
  [Name in keyof Verbs]?: Verbs[Name] extends (...args: infer Args) => infer Result
    ? (carryOut: Verbs[Name], ...args: Args) => Result
    : never;
};

function intercepted<Verbs extends object>(verbs: Verbs, interceptors: Interceptors<Verbs>): Verbs {
  return new Proxy(verbs, {
    get(target, name) {
      const carryOut: unknown = Reflect.get(target, name);
      const intercept: unknown = Reflect.get(interceptors, name);
      return typeof intercept === "function"
        ? (...args: unknown[]) => Reflect.apply(intercept, undefined, [carryOut, ...args])
        : carryOut;
    },
  });
}

/** The same store with interceptors for some of its operations. */
export function interceptedStore(store: Store, interceptors: Interceptors<Store>): Store {
  return intercepted(store, interceptors);
}

/** The same store with interceptors for some of the operations with which old data is removed. */
export function interceptedRetention(
  store: Store,
  interceptors: Interceptors<ReturnType<typeof retentionVerbs>>,
): Store {
  return interceptedStore(store, {
    withVerbs: (carryOut, make) => intercepted(carryOut(make), interceptors),
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
