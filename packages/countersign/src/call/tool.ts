import type { GetStepTools, Inngest } from "inngest";
import type * as z from "zod";

/** The state that a handler finds. AgentKit's networks share one among their agents. */
export interface HandlerState {
  data: Record<string, unknown>;
  kv: {
    get(key: string): unknown;
    set(key: string, value: unknown): void;
    delete(key: string): boolean;
    has(key: string): boolean;
    all(): Record<string, unknown>;
  };
}

/** What a handler gets beside its input. */
export interface HandlerOptions {
  network: { state: HandlerState };
  /** The step tools of the run; only a durable handler may use them. */
  step?: GetStepTools<Inngest.Any> | undefined;
}

/**
 * A tool with a handler, such as those of AgentKit. A gate takes it as it is: the handler gets the run's `step` if it is
 * durable, a network whose state is empty, and no agent.
 */
export interface Tool {
  name: string;
  description?: string | undefined;
  /** A Zod schema of the arguments. */
  parameters?: z.ZodType | undefined;
  /** The MCP server that the tool comes from, and the tool as that server lists it. */
  mcp?: { server: { name: string }; tool: { name: string; inputSchema?: unknown } } | undefined;
  strict?: boolean | undefined;
  handler(input: unknown, options: HandlerOptions): unknown;
}

/** A state of a call's own. What its handler puts there is gone with the call. */
export function newState(): HandlerState {
  const values = new Map<string, unknown>();
  return {
    data: {},
    kv: {
      get: (key) => values.get(key),
      set: (key, value) => void values.set(key, value),
      delete: (key) => values.delete(key),
      has: (key) => values.has(key),
      all: () => Object.fromEntries(values),
    },
  };
}

/** The options of a handler outside of a network. */
export function withoutNetwork({ newState }: { newState(): HandlerState }): HandlerOptions {
  return { network: { state: newState() } };
}
