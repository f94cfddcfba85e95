import { ConsoleLogger, type Logger } from "inngest";

/** AgentKit gives all inference steps of an agent one name. The SDK warns about it each time; it is harmless. */
const expectedCode = "AUTOMATIC_PARALLEL_INDEXING";

/** Messages that the SDK logs with a stack trace each time. The demo logs them once, in one line. */
const saidElsewhere: ReadonlySet<unknown> = new Set([
  "Failed to register",
  "Couldn't unpack register response",
  "Invalid register response schema",
  "Signature validation failed",
]);

/** The SDK's logger without the messages that the demo expects or logs itself. */
export function inngestLogger(): Logger {
  const logger = new ConsoleLogger();
  return {
    debug: (...args) => logger.debug(...args),
    info: (...args) => logger.info(...args),
    warn(...args) {
      if (!args.some(isExpected)) logger.warn(...args);
    },
    error(...args) {
      if (!args.some(isExpected)) logger.error(...args);
    },
  };
}

function isExpected(arg: unknown): boolean {
  if (typeof arg === "object" && arg !== null && "code" in arg) return arg.code === expectedCode;
  return saidElsewhere.has(arg);
}
