import { createContext, Script } from "node:vm";

const held: { work: () => void } = { work: () => {} };
const context = createContext(held);
const script = new Script("work()");

/**
 * Runs `work` and aborts it at a time limit. JavaScript and regular expressions can be aborted anywhere; a single
 * call of a built-in such as `indexOf` cannot. `work` must not have side effects that could stay incomplete.
 *
 * @returns the result, or `undefined` on timeout.
 */
export function withinTime<T>(milliseconds: number, work: () => T): { value: T } | undefined {
  let done: { value: T } | undefined;
  held.work = () => {
    done = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: milliseconds, displayErrors: false });
    return done;
  } catch (error) {
    if (isTimeout(error)) return undefined;
    throw error;
  } finally {
    held.work = () => {};
  }
}

function isTimeout(error: unknown): boolean {
  // Created in the other vm context, so it is not an instance of this context's Error.
  const { code } = Object(error) as { code?: unknown };
  return code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
