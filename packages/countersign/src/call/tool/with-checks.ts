import type { InputOf } from "@countersign/policy/internal/policy/define-policy";
import type { ResolvedTerms } from "@countersign/policy/internal/policy/rules/term-table";
import {
  distinctChecks,
  type SafetyCheck,
  safetyChecksSchema,
} from "@countersign/policy/internal/safety-checks/safety-check";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { zodProblems } from "@countersign/policy/internal/shared/zod-problems";
import type { Tool } from "../tool.js";
import { toolAddition } from "./tool-addition.js";

const ownChecks = toolAddition<SafetyCheck[]>("checks");

/** Lets a copy of a tool have the tool's own checks. */
export const shareChecks = ownChecks.share;

/**
 * Adds safety checks to a tool. They run when a gated call of the tool is proposed, where people see the results, and
 * again right before it starts. If one fails then, the call does not run and the model reads why. A call that the policy
 * allows is only checked before it starts.
 *
 * @throws CountersignError `invalid_option`, naming the check.
 *
 * @example
 * ```ts
 * import { createTool } from "@inngest/agent-kit";
 * import { withChecks } from "countersign";
 * import { z } from "zod";
 *
 * export const pay = withChecks(
 *   createTool({
 *     name: "pay_supplier",
 *     parameters: z.object({ iban: z.string(), amount: z.number() }),
 *     handler: ({ amount }) => `paid ${amount}`,
 *   }),
 *   [
 *     {
 *       name: "daily limit",
 *       run: ({ amount }) => (amount <= 5000 ? true : { ok: false, message: "More than 5000 a day" }),
 *     },
 *   ],
 * );
 * ```
 */
export function withChecks<T extends Tool>(tool: T, checks: readonly SafetyCheck<InputOf<T>>[]): T {
  const all = [...checksOf(tool), ...(checks as readonly SafetyCheck[])];
  const parsed = safetyChecksSchema.safeParse(all);
  if (!parsed.success) {
    const problems = zodProblems(parsed.error, "checks").join("; ");
    throw new CountersignError("invalid_option", `withChecks: "${tool.name}": ${problems}`);
  }
  return ownChecks.add(tool, parsed.data);
}

/**
 * The checks of a call: those of its tool and of its rules.
 *
 * @throws CountersignError `invalid_option` if two different checks have one name.
 */
export function checksOfCall(tool: Tool, { checks }: ResolvedTerms): SafetyCheck[] {
  return distinctChecks(tool.name, [...checksOf(tool), ...checks]);
}

/** The checks of the tool itself. */
export function checksOf(tool: Tool): SafetyCheck[] {
  return ownChecks.of(tool) ?? [];
}
