import type { Logger } from "countersign";
import type { LogFields } from "countersign/types";

/** Logs to the console what `isPrinted` says, as an instance without a logger does. */
export function printingLogger(isPrinted: (message: string, fields?: LogFields) => boolean): Logger {
  const to =
    (level: "info" | "warn" | "error"): Logger["warn"] =>
    (message, fields) => {
      if (isPrinted(message, fields)) console[level](`Countersign: ${message}`, ...(fields ? [fields] : []));
    };
  return { info: to("info"), warn: to("warn"), error: to("error") };
}
