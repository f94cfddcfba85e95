import { engineData } from "@countersign/policy/internal/shared/engine-text";
import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";

/** Marks what JSON cannot hold, and models return: bytes of files, times and addresses. */
const bytesKey = "countersign:bytes";
const timeKey = "countersign:time";
const urlKey = "countersign:url";

/** A model's answer as a step can return it. */
export function toMemo(answer: unknown): unknown {
  return engineData(marked(answer));
}

function marked(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [bytesKey]: Buffer.from(value).toString("base64") };
  if (value instanceof Date) return { [timeKey]: value.toISOString() };
  if (value instanceof URL) return { [urlKey]: value.href };
  if (Array.isArray(value)) return value.map(marked);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, marked(item)]));
}

/** The same answer again. */
export function fromMemo(memo: unknown): unknown {
  if (Array.isArray(memo)) return memo.map(fromMemo);
  if (!isPlainObject(memo)) return memo;
  const { [bytesKey]: bytes, [timeKey]: time, [urlKey]: url } = memo;
  if (typeof bytes === "string") return new Uint8Array(Buffer.from(bytes, "base64"));
  if (typeof time === "string") return new Date(time);
  if (typeof url === "string") return new URL(url);
  return Object.fromEntries(Object.entries(memo).map(([key, item]) => [key, fromMemo(item)]));
}
