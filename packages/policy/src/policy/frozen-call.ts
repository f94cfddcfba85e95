import type { PolicyCall } from "./policy-call.js";

/** A frozen copy of the call for rules in code, so that no rule can change what other rules or the tool see. */
export function frozenCall({ thread, ...call }: PolicyCall): PolicyCall {
  return frozenCopy({ ...call, thread: thread && { id: thread.id } });
}

function frozenCopy<T>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([key, item]) => [key, frozenCopy(item)])),
  ) as T;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
