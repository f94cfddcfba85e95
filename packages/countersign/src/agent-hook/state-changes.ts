import type { NetworkRun, StateData } from "@inngest/agent-kit";

/** What a handler changed in the network's state. */
export interface StateChanges {
  data: Changes;
  kv: Changes;
}

interface Changes {
  set: Record<string, unknown>;
  deleted: string[];
}

type StateOfRun = NetworkRun<StateData>["state"];

/**
 * Notes the state before a handler runs in a step, to tell afterwards what it changed: on the next replay the
 * step is not run again, so its changes must be carried by its output.
 */
export function observeState(state: StateOfRun): () => StateChanges | undefined {
  const before = { data: snapshot(state.data), kv: snapshot(state.kv.all()) };
  return () => {
    const changes = {
      data: changesBetween(before.data, state.data),
      kv: changesBetween(before.kv, state.kv.all()),
    };
    return isEmpty(changes.data) && isEmpty(changes.kv) ? undefined : changes;
  };
}

/** Makes the state as it was after the handler; harmless where it is so already. */
export function applyStateChanges(state: StateOfRun, changes: StateChanges | undefined): void {
  if (!changes) return;
  Object.assign(state.data, changes.data.set);
  for (const key of changes.data.deleted) Reflect.deleteProperty(state.data, key);
  for (const [key, value] of Object.entries(changes.kv.set)) state.kv.set(key, value);
  for (const key of changes.kv.deleted) state.kv.delete(key);
}

/** One JSON text for each key; a value that JSON cannot hold is left out, since no step output could carry it. */
function snapshot(values: Record<string, unknown>): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [key, value] of Object.entries(values)) {
    const text = jsonOf(value);
    if (text !== undefined) texts.set(key, text);
  }
  return texts;
}

function changesBetween(before: ReadonlyMap<string, string>, now: Record<string, unknown>): Changes {
  const after = snapshot(now);
  const set: Record<string, unknown> = {};
  for (const [key, text] of after) {
    if (before.get(key) !== text) set[key] = JSON.parse(text);
  }
  return { set, deleted: [...before.keys()].filter((key) => !(key in now)) };
}

function isEmpty(changes: Changes): boolean {
  return Object.keys(changes.set).length === 0 && changes.deleted.length === 0;
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
