import { AsyncLocalStorage } from "node:async_hooks";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import { currentExecution, type StepTools, withoutExecution } from "./inngest-context.js";

interface PlainHandler {
  toolName: string;
  role: Role;
  /** Set when the handler did what only a durable one may, so that catching the error does not hide it. */
  violation?: CountersignError;
}

/** Which of a tool's functions runs. */
type Role = "handler" | "preview";

const plainHandlers = new AsyncLocalStorage<PlainHandler>();

/**
 * Runs a plain handler inside the surrounding step. Inngest's own context is replaced: code that looks there for
 * `step.run` (AgentKit's MCP handlers do) works in place, since a nested step would never settle. Everything else that
 * needs steps, including agents, is refused. The refusal is the handler's outcome, whatever it returns.
 */
export async function runPlainHandler<T>(
  toolName: string,
  logger: Logger,
  handler: () => Promise<T>,
  role: Role = "handler",
): Promise<T> {
  const scope: PlainHandler = { toolName, role };
  try {
    const result = await plainHandlers.run(scope, () => withoutExecution(stepsInPlace(), handler));
    if (scope.violation) throw scope.violation;
    return result;
  } catch (error) {
    if (!scope.violation) throw error;
    logger.error(scope.violation.message, { toolName });
    throw scope.violation;
  }
}

/**
 * The error for a forbidden action of a plain handler, which becomes the handler's outcome; `undefined` if no plain
 * handler is running. Plain handlers do not see an Inngest execution, so code that sees one belongs to another run.
 */
export function refusalInPlainHandler(deed: string): CountersignError | undefined {
  const scope = currentExecution() ? undefined : plainHandlers.getStore();
  if (scope) scope.violation ??= stepInPlainHandler(scope, deed);
  return scope?.violation;
}

/** Step tools for a plain handler that refuse every use. */
export function refusingStepTools(toolName: string): StepTools {
  return new Proxy({} as StepTools, {
    get: (_target, name) => {
      if (name === "then") return undefined;
      throw refused(toolName, `step.${String(name)}`);
    },
  });
}

/** Step tools for code that finds them in Inngest's context: `run` works in place, the others are refused. */
function stepsInPlace(): object {
  const refusing = (path: string) => () => Promise.reject(refused("this tool", path));
  const ai = new Proxy({}, { get: (_target, name) => refusing(`step.ai.${String(name)}`) });
  return new Proxy(
    {
      run: async (_id: unknown, work: (...input: unknown[]) => unknown, ...input: unknown[]) =>
        work(...input),
      ai,
    },
    {
      get: (own, name) =>
        name === "then" ? undefined : (Reflect.get(own, name) ?? refusing(`step.${String(name)}`)),
    },
  );
}

function refused(toolName: string, step: string): CountersignError {
  const deed = `used ${step}`;
  return refusalInPlainHandler(deed) ?? stepInPlainHandler({ toolName, role: "handler" }, deed);
}

/** @param deed What the handler did, to follow "The handler of …". */
function stepInPlainHandler(
  { toolName, role }: Omit<PlainHandler, "violation">,
  deed: string,
): CountersignError {
  if (role === "preview") {
    return new CountersignError(
      "step_in_plain_handler",
      `The preview of "${toolName}" ${deed}, but it runs inside a step, and steps cannot be nested. Let it read what it needs without steps.`,
    );
  }
  return new CountersignError(
    "step_in_plain_handler",
    `The handler of "${toolName}" ${deed}, but a gated handler already runs inside a step, and steps cannot be nested. Declare the tool durable. ${howToDeclareDurable(toolName)}`,
  );
}

/** The fix for a developer whose tool needs steps, for each way in. */
export function howToDeclareDurable(toolName: string): string {
  return `For AgentKit: durable(createTool({ name: "${toolName}", … })). For countersign.gate(): durable: true in the tool. For guardTools(): { durable: ["${toolName}"] }. Or add it to the durableTools option.`;
}
