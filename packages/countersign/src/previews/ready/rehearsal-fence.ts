/** Lets a rehearsal use its transaction while it lasts, and not afterwards. */
export interface RehearsalFence {
  /** The transaction, for the rehearsal. */
  around<T extends object>(transaction: T): T;
  close(): void;
}

/** Methods that pass a nested transaction to a callback. */
const nesting = new Set<unknown>(["transaction", "savepoint"]);

/**
 * Drivers run a statement that comes after the end of its transaction on the same connection, where it commits. So what
 * a rehearsal started and did not await must not get there.
 */
export function rehearsalFence(): RehearsalFence {
  let isOpen = true;
  const check = () => {
    if (!isOpen)
      throw new Error("The rehearsal is over and was rolled back. Await every statement inside it");
  };
  const around = <T extends object>(transaction: T): T =>
    new Proxy(transaction, {
      get(target, name) {
        check();
        const value: unknown = Reflect.get(target, name);
        return nesting.has(name) && typeof value === "function" ? nested(value, target) : value;
      },
      apply(target, self, values) {
        check();
        return Reflect.apply(target as (...values: unknown[]) => unknown, self, values);
      },
    });
  const nested =
    (begin: CallableFunction, target: object) =>
    (...values: unknown[]): unknown =>
      Reflect.apply(
        begin,
        target,
        values.map((work) =>
          typeof work === "function" ? (transaction: object) => work(around(transaction)) : work,
        ),
      );
  return {
    around,
    close() {
      isOpen = false;
    },
  };
}
