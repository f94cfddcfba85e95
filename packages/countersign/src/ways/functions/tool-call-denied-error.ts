import { NonRetriableError } from "inngest";
import type { Refusal } from "../../approval/refusal-text.js";

const marker = Symbol.for("countersign:tool-call-denied");

/**
 * A call of a function of `applyProfile` that did not run, or may not have run to its end. The message says why. Inngest
 * does not retry a run that ends with it, because the answer would be the same.
 *
 * @example
 * ```ts
 * import { ToolCallDeniedError } from "countersign";
 *
 * export function explain(error: unknown): string {
 *   if (!ToolCallDeniedError.isInstance(error)) throw error;
 *   return error.reason === "denied_by_person" ? "Somebody said no." : error.message;
 * }
 * ```
 */
export class ToolCallDeniedError extends NonRetriableError {
  readonly toolName: string;
  readonly reason: Refusal["code"];
  /** `null` if nobody was asked. */
  readonly approvalId: string | null;

  constructor(toolName: string, { code, message, approvalId }: Refusal) {
    super(message);
    this.name = "ToolCallDeniedError";
    this.toolName = toolName;
    this.reason = code;
    this.approvalId = approvalId;
    Object.defineProperty(this, marker, { value: true });
  }

  /** Recognizes errors from any copy of this package, unlike `instanceof`. */
  static isInstance(error: unknown): error is ToolCallDeniedError {
    return typeof error === "object" && error !== null && marker in error;
  }
}
