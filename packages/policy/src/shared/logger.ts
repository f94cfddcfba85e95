/** Ids, codes and counts beside a message. They never hold arguments of calls or secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Where Countersign logs: a message, and fields. The console, winston and the logger of an Inngest client fit. So does
 * pino, which gets the fields before the message.
 */
export interface Logger {
  debug?(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** The same logger, called with the message first. pino and its kin, such as Fastify's logger, take the fields first. */
export function messageFirst(logger: Logger): Logger {
  if (typeof Reflect.get(logger, "bindings") !== "function") return logger;
  const pino = logger as unknown as Record<keyof Logger, (fields: LogFields, message: string) => void>;
  return {
    debug: (message, fields = {}) => pino.debug(fields, message),
    info: (message, fields = {}) => pino.info(fields, message),
    warn: (message, fields = {}) => pino.warn(fields, message),
    error: (message, fields = {}) => pino.error(fields, message),
  };
}

/** Logs to the console, each message after the name of Countersign. */
export const consoleLogger: Logger = {
  debug: (...entry) => write("debug", ...entry),
  info: (...entry) => write("info", ...entry),
  warn: (...entry) => write("warn", ...entry),
  error: (...entry) => write("error", ...entry),
};

function write(level: "debug" | "info" | "warn" | "error", message: string, fields?: LogFields): void {
  // biome-ignore lint/suspicious/noConsole: the one place that writes to the console without being asked to
  console[level](`Countersign: ${message}`, ...(fields ? [fields] : []));
}
