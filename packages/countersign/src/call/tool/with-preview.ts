import type { InputOf } from "@countersign/policy/internal/policy/define-policy";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Preview } from "../../previews/preview.js";
import { toolAddition } from "./tool-addition.js";

const previews = toolAddition<Preview>("preview");

/** The preview of a tool, if it has one. */
export const previewOf = previews.of;

/** Lets a copy of a tool have the tool's own preview. */
export const sharePreview = previews.share;

/** The arguments of a plain function, or of a tool of the AI SDK or of AgentKit. */
export type ArgumentsOf<T> = [T] extends [(input: infer Input, ...others: never[]) => unknown]
  ? Input
  : [T] extends [{ execute?: infer Execute }]
    ? NonNullable<Execute> extends (input: infer Input, ...others: never[]) => unknown
      ? Input
      : never
    : InputOf<T>;

/**
 * Lets a tool say what a call would change, before it does. People see it as before and after, and an
 * approval is for the state that it found: a call whose preview finds another one when it is about to start does not run. Rules read it as `effects` and
 * `reversible`. For tools of AgentKit and of the AI SDK, and for functions of `applyProfile`; `gateTool` and
 * `requireApproval` take a `preview` of their own.
 *
 * @throws CountersignError `invalid_option` if the preview is no function, or if the tool has one.
 *
 * @example
 * ```ts
 * import { createTool } from "@inngest/agent-kit";
 * import { withPreview } from "countersign";
 * import { z } from "zod";
 *
 * declare const orders: { find(id: string): Promise<{ status: string; version: number }> };
 *
 * export const refund = withPreview(
 *   createTool({
 *     name: "refund",
 *     parameters: z.object({ orderId: z.string() }),
 *     handler: ({ orderId }) => `refunded ${orderId}`,
 *   }),
 *   async ({ orderId }) => {
 *     const { status, version } = await orders.find(orderId);
 *     return {
 *       effects: [{ target: `order ${orderId}`, before: status, after: "refunded" }],
 *       state: version,
 *       reversible: false,
 *     };
 *   },
 * );
 * ```
 */
export function withPreview<T extends object>(tool: T, preview: Preview<ArgumentsOf<T>>): T {
  const name = String(Reflect.get(tool, "name") ?? "this tool");
  if (typeof preview !== "function") {
    throw new CountersignError("invalid_option", `withPreview: "${name}": the preview must be a function`);
  }
  if (previewOf(tool)) {
    throw new CountersignError("invalid_option", `withPreview: "${name}" already has a preview`);
  }
  return previews.add(tool, preview as Preview);
}
