/** Ids, codes and counts beside a message. They never hold arguments of calls or secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where Countersign logs: a message, and fields. The console and the logger of an Inngest client fit. */
export interface Logger {
  debug?(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
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
