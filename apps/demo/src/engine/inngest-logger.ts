import { ConsoleLogger, type Logger } from "inngest";

/** AgentKit names all inferences of an agent alike, which the SDK reports at every turn; it is harmless. */
const expected = "AUTOMATIC_PARALLEL_INDEXING";

/** The SDK's own logger without the one warning that every run of a network would cause. */
export function inngestLogger(): Logger {
  const logger = new ConsoleLogger();
  return {
    debug: (...args) => logger.debug(...args),
    info: (...args) => logger.info(...args),
    warn(...args) {
      if (!args.some(isExpected)) logger.warn(...args);
    },
    error: (...args) => logger.error(...args),
  };
}

function isExpected(arg: unknown): boolean {
  return typeof arg === "object" && arg !== null && "code" in arg && arg.code === expected;
}
