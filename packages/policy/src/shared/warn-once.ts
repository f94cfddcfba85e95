import type { LogFields, Logger } from "./logger.js";

const warned = new Set<string>();
const maxWarnings = 1000;

/** Warns of a developer's mistake once per process, however often the same code runs. */
export function warnOnce(logger: Logger, key: string, message: string, fields: LogFields): void {
  if (warned.has(key) || warned.size >= maxWarnings) return;
  warned.add(key);
  logger.warn(message, fields);
}
