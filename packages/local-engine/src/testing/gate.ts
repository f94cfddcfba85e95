/** A promise and how to resolve it from outside. */
export interface Gate<T> {
  promise: Promise<T>;
  resolve(value: T): void;
}

/** `Promise.withResolvers`, which Node 20 does not have. */
export function createGate<T>(): Gate<T> {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
