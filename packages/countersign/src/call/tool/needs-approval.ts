import { verdictProblems } from "@countersign/policy/internal/policy/definition-problems";
import type { Terms } from "@countersign/policy/internal/policy/rules/terms";
import { ask } from "@countersign/policy/internal/policy/rules/verdict";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { ReviewRuntime } from "../run/runtime.js";
import { toolAddition } from "./tool-addition.js";

const marks = toolAddition<Terms>("needs-approval");

/** What a tool's mark asks for; `undefined` without one. */
export const markOf = marks.of;

/** Lets another form of a tool have the tool's own mark. */
export const shareMark = marks.share;

/** The terms of `ask()`. `roles` is short for `approvers: { roles }`. */
export type MarkTerms = Terms & { roles?: readonly string[] };

/**
 * Marks a tool: a person decides each of its calls before it runs. The mark is a rule for the tool, beside those of the
 * policy: the strictest wins, so policies and files can only tighten it. For what `createTool` of AgentKit, `tool` of the AI
 * SDK and `gateTool` return, and for functions of `applyProfile`. The agent must be guarded, as for any rule.
 *
 * @param terms Who decides, how soon, and so on. @default any signed-in principal of the tenant, within the instance's `timeout`
 * @throws CountersignError `invalid_option`, naming the term, or if the tool has a mark.
 *
 * @example
 * ```ts
 * import { createTool } from "@inngest/agent-kit";
 * import { needsApproval } from "countersign";
 * import { z } from "zod";
 *
 * export const issueRefund = needsApproval(
 *   createTool({
 *     name: "issue_refund",
 *     parameters: z.object({ orderId: z.string(), amount: z.number() }),
 *     handler: ({ orderId, amount }) => `Refunded ${amount} EUR for ${orderId}`,
 *   }),
 *   { roles: ["finance"], summary: "Refund {{amount}} EUR for {{orderId}}" },
 * );
 * ```
 */
export function needsApproval<T extends object>(tool: T, terms: MarkTerms = {}): T {
  const name = String(Object(tool).name || "this tool");
  const wrong = (problem: string) =>
    new CountersignError("invalid_option", `needsApproval: "${name}": ${problem}`);
  if (Object(tool) !== tool) throw wrong("must be a tool, such as one of createTool()");
  if (typeof Reflect.get(tool, "createExecution") === "function") {
    // AgentKit makes another tool of it, which would lack the mark.
    throw wrong("is an Inngest function; name it in a rule of the policy instead");
  }
  if (markOf(tool)) throw wrong("has a mark already; give all its terms at once");
  const { roles, ...others } = terms;
  if (roles && others.approvers) throw wrong("write either roles or approvers: { roles, ids }");
  const mark = { ...others, ...(roles && { approvers: { roles: [...roles] } }) };
  const [problem] = verdictProblems(ask(mark), "terms");
  if (problem !== undefined) throw wrong(problem);
  return marks.add(tool, mark);
}

/** @throws CountersignError `invalid_option` if the tool has a mark that names a channel which the instance does not have. */
export function checkMark(
  { requireMarkedChannels }: Pick<ReviewRuntime, "requireMarkedChannels">,
  toolName: string,
  tool: object,
): void {
  const mark = markOf(tool);
  if (mark) requireMarkedChannels(toolName, mark);
}

/** The mark as a row keeps it: without its checks, which are functions. */
export function recordedMark(tool: object): Terms | undefined {
  const mark = markOf(tool);
  if (!mark) return undefined;
  const { checks: _, ...recorded } = mark;
  return recorded;
}
