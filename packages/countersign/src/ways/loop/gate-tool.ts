import type { McpFacts } from "@countersign/policy/internal/policy/policy-call";
import type { SafetyCheck } from "@countersign/policy/internal/safety-checks/safety-check";
import type { Undo } from "../../approval/tool-undo.js";
import type { ApprovedCall } from "../../call/tool/handler-kind.js";
import type { Preview } from "../../previews/preview.js";
import type { GateInput, GateInputSchema } from "./input-schema.js";

/** What `execute` gets beside the arguments. */
export interface ExecuteOptions {
  /** The id that the model gave the call. */
  callId: string;
  /** The approval under which the call runs, and the key that makes running it again safe; absent for an allowed call. */
  approval?: ApprovedCall;
}

/**
 * A tool of an agent without a framework.
 *
 * @typeParam Schema The type of `inputSchema`, from which the arguments of `execute` are inferred.
 */
export interface GateTool<Schema extends GateInputSchema = GateInputSchema> {
  /** The name by which the model and the policy know it. */
  name: string;
  /** Whoever decides reads it, and an approval is for this text: a tool whose description changes is another tool. */
  description?: string;
  inputSchema: Schema;
  /**
   * Runs a call, with the arguments that the model gave or a person changed, as the schema parses them. Its result is
   * what JSON holds of the returned value. An error that it throws is the call's result too, and causes no retry.
   */
  execute(input: GateInput<Schema>, options: ExecuteOptions): unknown;
  /**
   * True if `execute` uses the run's step tools: it then runs in the function's body. @default it runs in one step. If
   * its source calls `step.run` or another step tool, that is an error; `false` says that this `step` is not Inngest's.
   */
  durable?: boolean;
  /** True if `execute` may safely run again with the same `idempotencyKey` after a crash in the middle. @default false */
  idempotent?: boolean;
  /**
   * Whether people are asked where the policy alone would not ask: always, or about calls for which the function says
   * so. It may only depend on the arguments. It never loosens the policy.
   * @default false
   */
  needsApproval?: boolean | ((input: GateInput<Schema>) => boolean | Promise<boolean>);
  /** For a tool of an MCP server: what rules such as `server/tool`, and the server's hints, go by. @default none */
  mcp?: McpFacts;
  /** Safety checks, which run when a call is proposed and before it starts. @default none */
  checks?: readonly SafetyCheck<GateInput<Schema>>[];
  /** Says what a call would change, before it does, from the arguments as the schema parses them. @default none */
  preview?: Preview<GateInput<Schema>>;
  /** Takes a call back. Name the tool in `undoable` of `createCountersign` too. @default none */
  undo?: Undo<GateInput<Schema>>;
}

/** Any {@link GateTool}, whatever its arguments are. */
export interface AnyGateTool
  extends Omit<GateTool, "execute" | "checks" | "needsApproval" | "preview" | "undo"> {
  execute(input: never, options: ExecuteOptions): unknown;
  needsApproval?: boolean | ((input: never) => boolean | Promise<boolean>);
  checks?: readonly SafetyCheck<never>[];
  preview?: Preview<never>;
  undo?: Undo<never, never>;
}

/**
 * The same tool: infers the type of the arguments from `inputSchema`.
 *
 * @example
 * ```ts
 * import { gateTool } from "countersign";
 * import { z } from "zod";
 *
 * export const issueRefund = gateTool({
 *   name: "issue_refund",
 *   inputSchema: z.object({ orderId: z.string(), amount: z.number() }),
 *   execute: ({ orderId, amount }) => `refunded ${amount} for ${orderId}`,
 * });
 * ```
 */
export function gateTool<Schema extends GateInputSchema>(tool: GateTool<Schema>): GateTool<Schema> {
  return tool;
}
