import { bytesOf, sizeText } from "@countersign/policy/internal/shared/byte-size";
import { engineData } from "@countersign/policy/internal/shared/engine-text";
import { isPlain, kindThatJsonLoses, unpaired } from "@countersign/policy/internal/shared/json-result";
import { consoleLogger, type Logger } from "@countersign/policy/internal/shared/logger";
import { isWellFormed } from "@countersign/policy/internal/shared/storable-text";
import { warnOnce } from "@countersign/policy/internal/shared/warn-once";
import type { HandlerState } from "../tool.js";

/** What a handler changed in the network's state. */
export interface StateChanges {
  data: Changes;
  kv: Changes;
}

interface Changes {
  set: Record<string, unknown>;
  deleted: string[];
  /** Changes within objects that existed before. */
  nested: NestedChange[];
}

/** The new value of a property, by its path. Without `value`, it was deleted. */
interface NestedChange {
  path: string[];
  value?: unknown;
}

/** The changes that a step's output carries, and text for the model if there are too many. */
export interface ChangedState {
  state?: StateChanges;
  note?: string;
}

/** The tool whose handler ran, and where to warn about it. */
interface ToolWithLogger {
  toolName: string;
  logger: Logger;
}

/**
 * Records the state before a handler runs in a step, to find out afterwards what it changed. The next replay does not
 * run the step again, so the step's output must carry its changes. Changes beyond `maxBytes` are undone.
 */
export function observeState(
  state: HandlerState,
  { toolName, maxBytes, logger = consoleLogger }: { toolName: string; maxBytes: number; logger?: Logger },
): () => ChangedState {
  const before = { data: snapshot(state.data), kv: snapshot(state.kv.all()) };
  return () => {
    const changes = engineData({
      data: changesBetween(before.data, state.data, { toolName, logger }),
      kv: changesBetween(before.kv, state.kv.all(), { toolName, logger }),
    });
    if (isEmpty(changes.data) && isEmpty(changes.kv)) return {};
    const bytes = bytesOf(JSON.stringify(changes));
    if (bytes <= maxBytes) return { state: changes };
    undo(state, before, changes);
    return {
      note: `The tool's changes to the conversation's state (${sizeText(bytes)}) are too large and were undone.`,
    };
  };
}

/** Restores the state after the handler. Idempotent. */
export function applyStateChanges(state: HandlerState, changes: StateChanges | undefined): void {
  if (!changes) return;
  Object.assign(state.data, changes.data.set);
  for (const key of changes.data.deleted) Reflect.deleteProperty(state.data, key);
  applyNested(state.data, changes.data.nested);
  for (const [key, value] of Object.entries(changes.kv.set)) state.kv.set(key, value);
  for (const key of changes.kv.deleted) state.kv.delete(key);
  applyNested(state.kv.all(), changes.kv.nested);
}

function applyNested(values: Record<string, unknown>, changes: readonly NestedChange[]): void {
  for (const change of changes) {
    const last = change.path.at(-1) ?? "";
    let within: unknown = values;
    for (const key of change.path.slice(0, -1)) {
      within = isPlain(within) && Object.hasOwn(within, key) ? within[key] : undefined;
    }
    if (!isPlain(within)) continue;
    // Not by assignment, which treats "__proto__" specially.
    if ("value" in change) Object.defineProperty(within, last, { ...ownValue, value: change.value });
    else Reflect.deleteProperty(within, last);
  }
}

const ownValue = { configurable: true, enumerable: true, writable: true };

/** A recorded value of the state: as JSON, if JSON can hold it, and as a text in which every change is visible. */
interface Printed {
  json: string | undefined;
  print: string | undefined;
}

type Snapshot = ReadonlyMap<string, Printed>;

function snapshot(values: Record<string, unknown>): Snapshot {
  return new Map(Object.entries(values).map(([key, value]) => [key, printed(value)]));
}

function printed(value: unknown): Printed {
  return { json: textOf(value), print: textOf(value, withContents) };
}

function changesBetween(before: Snapshot, values: Record<string, unknown>, tool: ToolWithLogger): Changes {
  const deleted = [...before.keys()].filter((key) => !(key in values));
  const changes: Changes = { set: {}, deleted, nested: [] };
  for (const [key, value] of Object.entries(values)) {
    const now = printed(value);
    const then = before.get(key);
    if (then && then.print === now.print && then.json === now.json) continue;
    const loss = lossOf(value);
    if (loss) warnOfLoss(tool, key, loss);
    if (now.json === undefined || then?.json === now.json) continue;
    addChange(
      changes,
      [key],
      then?.json === undefined ? undefined : JSON.parse(then.json),
      JSON.parse(now.json),
    );
  }
  return changes;
}

/** Maximum depth of objects whose changes are recorded one by one. Deeper objects are replaced as a whole. */
const maxDepth = 20;

/** Records changes within an object one by one, so that parallel calls that change other parts of it lose nothing. */
function addChange(changes: Changes, path: string[], before: unknown, now: unknown): void {
  if (!isPlain(before) || !isPlain(now) || path.length >= maxDepth) {
    const [key = ""] = path;
    if (path.length === 1) Object.defineProperty(changes.set, key, { ...ownValue, value: now });
    else changes.nested.push({ path, value: now });
    return;
  }
  for (const [key, value] of Object.entries(now)) {
    const known = Object.hasOwn(before, key);
    if (known && JSON.stringify(before[key]) === JSON.stringify(value)) continue;
    addChange(changes, [...path, key], known ? before[key] : undefined, value);
  }
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(now, key)) changes.nested.push({ path: [...path, key] });
  }
}

/** Restores the changed values as far as JSON can hold them. */
function undo(state: HandlerState, before: { data: Snapshot; kv: Snapshot }, changes: StateChanges): void {
  const put = (
    old: Snapshot,
    { set, deleted, nested = [] }: Changes,
    on: { set(key: string, value: unknown): void; delete(key: string): void },
  ) => {
    for (const key of new Set([
      ...Object.keys(set),
      ...deleted,
      ...nested.map(({ path }) => path[0] ?? ""),
    ])) {
      const json = old.get(key)?.json;
      if (json === undefined) on.delete(key);
      else on.set(key, JSON.parse(json));
    }
  };
  put(before.data, changes.data, {
    set: (key, value) => Object.assign(state.data, { [key]: value }),
    delete: (key) => Reflect.deleteProperty(state.data, key),
  });
  put(before.kv, changes.kv, {
    set: (key, value) => state.kv.set(key, value),
    delete: (key) => state.kv.delete(key),
  });
}

function isEmpty({ set, deleted, nested = [] }: Changes): boolean {
  return Object.keys(set).length === 0 && deleted.length === 0 && nested.length === 0;
}

function textOf(
  value: unknown,
  replace?: (this: unknown, key: string, value: unknown) => unknown,
): string | undefined {
  try {
    return JSON.stringify(value, replace);
  } catch {
    return undefined;
  }
}

/** Writes what JSON would lose, so that changes of it are visible. */
function withContents(_key: string, value: unknown): unknown {
  if (typeof value === "bigint" || typeof value === "number") return `${typeof value}:${value}`;
  if (value instanceof Map) return { entries: [...value] };
  if (value instanceof Set) return { values: [...value] };
  return value;
}

/** Why a value differs after a replay, or `undefined` if JSON keeps it. */
function lossOf(value: unknown): string | undefined {
  let loss: string | undefined;
  function look(this: unknown, key: string, item: unknown): unknown {
    // `Date` and others with a `toJSON` arrive here converted.
    const own: unknown = isHolder(this) ? Reflect.get(this, key) : item;
    loss ??= isWellFormed(key) ? kindOfLoss(own) : unpaired;
    return item;
  }
  return textOf(value, look) === undefined ? (loss ?? "a value that cannot be written as JSON") : loss;
}

function isHolder(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function kindOfLoss(value: unknown): string | undefined {
  if (typeof value === "bigint") return "BigInt";
  if (typeof value === "string") return isWellFormed(value) ? undefined : unpaired;
  const lost = kindThatJsonLoses(value);
  if (lost !== undefined) return lost;
  if (typeof value !== "object" || value === null || Array.isArray(value) || isPlain(value)) return undefined;
  return value.constructor?.name || "object";
}

function warnOfLoss({ toolName, logger }: ToolWithLogger, key: string, kind: string): void {
  warnOnce(
    logger,
    `state:${toolName}:${key}`,
    `"${toolName}" set "${key}" in the network's state to a value that JSON cannot represent (${kind}). After the next replay, it becomes plain JSON or reverts to its previous value. Use only plain objects, arrays, strings and numbers in the state.`,
    { toolName, key },
  );
}
