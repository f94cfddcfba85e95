import type { LogFields, Logger } from "./logger.js";

const told = new Set<string>();
const maxTold = 1000;

/** Warns of a developer's mistake once per process, however often the same code runs. */
export function warnOnce(logger: Logger, key: string, message: string, fields: LogFields): void {
  if (isFirst(key)) logger.warn(message, fields);
}

/** The same for what a developer should know and need not change. */
export function tellOnce(logger: Logger, key: string, message: string, fields: LogFields): void {
  if (isFirst(key)) logger.info(message, fields);
}

function isFirst(key: string): boolean {
  if (told.has(key) || told.size >= maxTold) return false;
  told.add(key);
  return true;
}
