import { createState, type StateData } from "@inngest/agent-kit";
import { expect, it, vi } from "vitest";
import { applyStateChanges, type ChangedState, observeState } from "./state-changes.js";

const options = { toolName: "count", maxBytes: 1000 };

/** Runs a handler on a state, and applies its changes to the state of the next replay. */
function replayed(initial: () => StateData, handler: (data: StateData) => void) {
  const live = createState<StateData>(initial());
  const changes = observeState(live, options);
  handler(live.data);
  const changed: ChangedState = JSON.parse(JSON.stringify(changes()));
  const replay = createState<StateData>(initial());
  applyStateChanges(replay, changed.state);
  return { live: live.data, replay: replay.data, changed };
}

it.each<[string, StateData, (data: StateData) => void]>([
  ["a new key", {}, (data) => Object.assign(data, { a: { b: [1] } })],
  ["a deleted key", { a: 1 }, (data) => Reflect.deleteProperty(data, "a")],
  ["a deep change", { a: { b: { c: 1, d: 2 } } }, (data) => Object.assign(data.a.b, { c: 3, e: null })],
  ["a deep deletion", { a: { b: 1, c: 2 } }, (data) => Reflect.deleteProperty(data.a, "b")],
  ["a list", { a: { list: [1] } }, (data) => data.a.list.push(2)],
  ["an object in place of a text", { a: "x" }, (data) => Object.assign(data, { a: { b: 1 } })],
  ["an emptied object", { a: { b: 1 } }, (data) => Object.assign(data, { a: {} })],
])("a state change reaches the next replay: %s", (_what, initial, handler) => {
  const { live, replay } = replayed(() => structuredClone(initial), handler);
  expect(replay).toEqual(live);
});

it("changes that parallel handlers make in one object are all kept", () => {
  const state = createState<StateData>({ totals: {} });
  const [a, b] = [observeState(state, options), observeState(state, options)];
  state.data.totals.a = 1;
  const first = a();
  state.data.totals.b = 1;
  // The second handler began before the first ended, and has changed its own part only.
  const second = observeOnly(b(), "b");
  const replay = createState<StateData>({ totals: {} });
  applyStateChanges(replay, first.state);
  applyStateChanges(replay, second.state);
  expect(replay.data.totals).toEqual({ a: 1, b: 1 });
});

/** The changes as they would be in a process that has not run the first handler. */
function observeOnly({ state }: ChangedState, key: string): ChangedState {
  const nested = state?.data.nested?.filter(({ path }) => path.at(-1) === key) ?? [];
  return state ? { state: { ...state, data: { ...state.data, nested } } } : {};
}

it("a change of the key __proto__ does not change a prototype", () => {
  const { replay } = replayed(
    () => ({ a: { b: 1 } }),
    (data) => Object.defineProperty(data.a, "__proto__", { value: { c: 1 }, enumerable: true }),
  );
  expect(Object.getPrototypeOf(replay.a)).toBe(Object.prototype);
  expect(Object.keys(replay.a)).toEqual(["b", "__proto__"]);
});

it("state changes that are too large are undone, and a note says so", () => {
  const { live, replay, changed } = replayed(
    () => ({ a: { b: 1 }, kept: 1 }),
    (data) => Object.assign(data.a, { b: 2, text: "x".repeat(1000) }),
  );
  expect(changed.note).toMatch(
    /changes to the conversation's state \(\d\.\d kB\) are too large and were undone/,
  );
  expect(live).toEqual({ a: { b: 1 }, kept: 1 });
  expect(replay).toEqual(live);
});

it.each<[string, string, () => StateData, (data: StateData) => void]>([
  ["Map", "seen", () => ({ seen: new Map() }), (data) => data.seen.set("a", 1)],
  ["Set", "marks", () => ({ marks: new Set() }), (data) => data.marks.add("a")],
  ["Date", "when", () => ({}), (data) => Object.assign(data, { when: new Date(0) })],
  ["BigInt", "total", () => ({ total: 1n }), (data) => Object.assign(data, { total: 2n })],
  ["URL", "at", () => ({}), (data) => Object.assign(data, { at: { link: new URL("https://a.test") } })],
])(
  "a change to a %s causes one warning that names its type and the key %s",
  (kind, key, initial, handler) => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    replayed(initial, handler);
    replayed(initial, handler);
    expect(warned).toHaveBeenCalledTimes(1);
    expect(warned.mock.calls[0]?.[0]).toContain(`"count" set "${key}" in`);
    expect(warned.mock.calls[0]?.[0]).toContain(`(${kind})`);
    warned.mockRestore();
  },
);
