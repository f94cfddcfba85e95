import { nameMatches } from "@countersign/policy/internal/policy/rules/tool-pattern";
import type { HandlerKind } from "../../approval/handler-kind.js";
import type { Tool } from "../tool.js";

const kindOf = Symbol.for("countersign:handler-kind");

/**
 * Declares that the tool's handler uses step tools itself (`step.run`, `step.waitForEvent`, an Inngest function as a
 * tool …). The call is claimed in a step and then runs in the function's body, where Inngest memoizes its steps. Code
 * outside its steps runs again on every replay.
 *
 * @example
 * ```ts
 * import { createTool } from "@inngest/agent-kit";
 * import { durable } from "countersign";
 * import { z } from "zod";
 *
 * export const exportData = durable(
 *   createTool({
 *     name: "export_data",
 *     parameters: z.object({ table: z.string() }),
 *     handler: async ({ table }, { step }) => step?.run("export", () => `exported ${table}`),
 *   }),
 * );
 * ```
 */
export function durable<T extends Tool>(tool: T): T {
  return Object.assign(tool, { [kindOf]: "durable" });
}

/**
 * Declares that the handler may safely run again with the same key. After a crash in the middle it runs again instead
 * of being reported as interrupted. The key is `approvalOf(options)?.idempotencyKey`.
 *
 * @example
 * ```ts
 * import { createTool } from "@inngest/agent-kit";
 * import { approvalOf, idempotent } from "countersign";
 * import { z } from "zod";
 *
 * export const refund = idempotent(
 *   createTool({
 *     name: "refund",
 *     parameters: z.object({ orderId: z.string() }),
 *     handler: async ({ orderId }, options) =>
 *       `refunded ${orderId} under ${approvalOf(options)?.idempotencyKey}`,
 *   }),
 * );
 * ```
 */
export function idempotent<T extends Tool>(tool: T): T {
  return Object.assign(tool, { [kindOf]: "idempotent" });
}

/** The approval under which a handler runs, and the key that makes running it again safe. */
export interface ApprovedCall {
  id: string;
  idempotencyKey: string;
}

const approvals = new WeakMap<object, ApprovedCall>();

/** The approval under which a handler runs, from the handler's options; `undefined` for a call that needed none. */
export function approvalOf(options: object): ApprovedCall | undefined {
  return approvals.get(options);
}

/** The handler's options, from which {@link approvalOf} finds the approval. */
export function withApproval<T extends object>(options: T, approvalId: string): T {
  const own = { ...options };
  approvals.set(own, { id: approvalId, idempotencyKey: approvalId });
  return own;
}

/** The handler's kind: declared by the tool, declared by name by the host, or known. */
export function handlerKind(tool: Tool, durableTools: readonly string[]): HandlerKind {
  if (durableTools.some((pattern) => nameMatches(pattern, tool.name))) return "durable";
  const kind: unknown = Reflect.get(tool, kindOf);
  if (kind === "durable" || kind === "idempotent") return kind;
  return isInngestFunction(tool) ? "durable" : "once";
}

/**
 * True for the handler that AgentKit writes for an Inngest function in an agent's tools, recognised by its error
 * without steps.
 */
function isInngestFunction({ handler }: Tool): boolean {
  return String(handler).includes("Inngest tool called outside of Inngest context");
}
