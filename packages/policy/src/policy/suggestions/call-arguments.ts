import { WorkLimit } from "../../bounded/work-limit.js";
import { hiddenTexts, readableInput } from "../../redaction/redact.js";
import { unreadable } from "../../redaction/unreadable.js";
import { isPlainObject } from "../../shared/plain-object.js";
import type { DecidedCall } from "./decided-call.js";
import { literalText } from "./literals.js";

export type ArgumentKind = "object" | "number" | "string" | "bool" | "null" | "list" | "hidden" | "large";

/** An argument of a call, or an object among its arguments, at a path such as `["input", "customer", "id"]`. */
export interface CallArgument {
  path: readonly string[];
  kind: ArgumentKind;
  /** Of an object, the number of its keys. */
  value: unknown;
}

/** The arguments of a call, which a condition can tell from those of other calls of the same shape. */
export interface ReadCall {
  decided: DecidedCall;
  arguments: readonly CallArgument[];
  /** Equal for calls with the same argument names and kinds of values. */
  shape: string;
}

const maxArguments = 40;

/** The arguments of a call. `undefined` if they are not an object, or all of them are hidden. */
export function readCall(decided: DecidedCall): ReadCall | undefined {
  const { call, terms } = decided;
  const readable = readableInput(call.input, terms, new WorkLimit());
  if (!isPlainObject(readable)) return undefined;
  const secrets = hiddenTexts(call.input, terms.redact);
  const found: CallArgument[] = [];
  const add = (path: readonly string[], value: unknown): void => {
    const isNamed = literalText(path.at(-1)) !== undefined;
    const kind = isNamed && found.length < maxArguments ? kindOf(value, secrets) : "large";
    found.push({ path, kind, value: isPlainObject(value) ? Object.keys(value).length : value });
    if (kind !== "object") return;
    for (const [key, item] of Object.entries(value as object)) add([...path, key], item);
  };
  add(["input"], readable);
  return { decided, arguments: found, shape: shapeOf(found) };
}

/** The call with its requester as one more thing that a condition can read. */
export function withRequester(read: ReadCall): ReadCall {
  const value = read.decided.call.principal?.id;
  const kind = value === undefined ? "large" : "string";
  return { ...read, arguments: [{ path: ["principal", "id"], kind, value }, ...read.arguments] };
}

/** The value at a path of a call's arguments. */
export function valueAt(call: ReadCall, path: readonly string[]): unknown {
  return call.arguments.find((argument) => isSamePath(argument.path, path))?.value;
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}

function kindOf(value: unknown, secrets: readonly string[]): ArgumentKind {
  if (value === unreadable) return "hidden";
  if (value === null) return "null";
  if (isPlainObject(value)) return "object";
  if (repeatsSecret(value, secrets)) return "hidden";
  if (Array.isArray(value)) return holdsHidden(value) ? "hidden" : "list";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "bool";
  return "string";
}

function holdsHidden(value: unknown): boolean {
  if (value === unreadable) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsHidden);
}

function repeatsSecret(value: unknown, secrets: readonly string[]): boolean {
  if (secrets.length === 0) return false;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return secrets.some((secret) => text.includes(secret));
}

function shapeOf(found: readonly CallArgument[]): string {
  const parts = found.map(({ path, kind, value }) =>
    JSON.stringify([path, kind, kind === "object" ? value : null]),
  );
  return parts.sort().join();
}

/** Last words of names whose numbers are names themselves, so that a range over them would mean nothing. */
const identifying = /^(id|ids|no|nr|number|code|key|ref|reference|pin|zip)$/;

/** Whether a condition may say that the argument lies in a range. */
export function hasRange({ path, kind }: CallArgument): boolean {
  const words = (path.at(-1) ?? "").replaceAll(/([a-z])([A-Z])/g, "$1 $2").split(/[^A-Za-z]+/);
  return kind === "number" && !identifying.test((words.at(-1) ?? "").toLowerCase());
}

/** Whether a condition can name the value. */
export function isNameable({ kind, value }: Pick<CallArgument, "kind" | "value">): boolean {
  return kind !== "hidden" && kind !== "large" && literalText(value) !== undefined;
}
