import type { Terms, VerdictKind } from "./rule.js";

/** What a rule in code says about one call: a verdict, and what people should know about it. */
export interface Verdict extends Terms {
  kind: VerdictKind;
}

/** The tool may run at once. */
export function allow(): Verdict {
  return { kind: "allow" };
}

/** The tool runs at once, and people are told: an audit entry and an event. */
export function notify(terms: Pick<Terms, "reason" | "summary" | "risk" | "redact"> = {}): Verdict {
  return { ...terms, kind: "notify" };
}

/**
 * A person decides before the tool runs.
 *
 * @example
 * ```ts
 * import { ask } from "countersign";
 *
 * export const refunds = ask({
 *   summary: "Refund {{amount}} EUR for order {{orderId}}",
 *   risk: "high",
 *   approvers: { roles: ["finance"] },
 * });
 * ```
 */
export function ask(terms: Terms = {}): Verdict {
  return { ...terms, kind: "ask" };
}

/** A person does it and supplies the result; the tool never runs. */
export function manual(terms: Terms = {}): Verdict {
  return { ...terms, kind: "manual" };
}

/** The tool must not run; the model is told, with the reason. */
export function deny(reason?: string): Verdict {
  return reason === undefined ? { kind: "deny" } : { kind: "deny", reason };
}
