import { expect, it, vi } from "vitest";
import { deferredStore } from "./deferred-store.js";
import type { Store } from "./store.js";

/** A store of which only some verbs work. */
function fakeStore(verbs: Partial<Store>): Store {
  return verbs as Store;
}

it("opens with its first verb, once", async () => {
  const open = vi.fn(async () => fakeStore({ now: async () => new Date(0) }));
  const store = deferredStore(open);
  expect(open).not.toHaveBeenCalled();
  expect(await Promise.all([store.now(), store.now()])).toEqual([new Date(0), new Date(0)]);
  expect(open).toHaveBeenCalledTimes(1);
});

it.each(["at once", "later"])("tries again after a failure to open, %s", async (when) => {
  const open = vi.fn((): Promise<Store> | Store => fakeStore({ now: async () => new Date(0) }));
  const error = new Error("no database yet");
  if (when === "later") open.mockRejectedValueOnce(error);
  else
    open.mockImplementationOnce(() => {
      throw error;
    });
  const store = deferredStore(open);
  await expect(store.now()).rejects.toThrow("no database yet");
  expect(await store.now()).toEqual(new Date(0));
});

it("listeners attach when it opens, and those that stopped before do not", async () => {
  const attached: unknown[] = [];
  const store = deferredStore(() =>
    fakeStore({
      now: async () => new Date(0),
      onDue: (listener) => {
        attached.push(listener);
        return () => attached.splice(attached.indexOf(listener), 1).length > 0;
      },
    }),
  );
  const [kept, stopped, later] = [() => {}, () => {}, () => {}];
  const stopKept = store.onDue(kept);
  store.onDue(stopped)();
  expect(attached).toEqual([]);
  await store.now();
  store.onDue(later);
  expect(attached).toEqual([kept, later]);
  stopKept();
  expect(attached).toEqual([later]);
});

it("is no promise, and closing it opens nothing", async () => {
  const open = vi.fn(() => fakeStore({}));
  const store = deferredStore(open);
  expect(await store).toBe(store);
  await store.close();
  expect(open).not.toHaveBeenCalled();
});

it("verbs of other packages open it too", async () => {
  const store = deferredStore(() =>
    fakeStore({ withVerbs: <Verbs extends object>(make: (scopes: object) => Verbs) => make({}) }),
  );
  const { double } = store.withVerbs(() => ({ double: async (of: number) => 2 * of }));
  expect(await double(21)).toBe(42);
});
