import { CountersignError } from "../../shared/errors.js";
import type { PolicyCall } from "../policy-call.js";
import type { VerdictKind } from "./rule.js";
import type { Terms, unaskedTerms } from "./terms.js";

/** What to write for a call that nobody is asked about but that has checks. */
export const allowHasNoChecks = "a call that is allowed has no checks of its rules; write notify({ checks })";

/** The result of a rule in code: a verdict with its terms. */
export interface Verdict extends Terms {
  kind: VerdictKind;
}

/** The tool may run immediately. */
export function allow(...none: []): Verdict {
  if (none.length > 0) throw wrongTerms("allow() takes no terms; notify() also tells people");
  return { kind: "allow" };
}

/** The tool runs immediately, and people are notified by an audit entry and an event. */
export function notify(terms: Pick<Terms, (typeof unaskedTerms)[number]> = {}): Verdict {
  return verdict("notify", terms);
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
  return verdict("ask", terms);
}

/** A person does it and supplies the result; the tool never runs. */
export function manual(terms: Terms = {}): Verdict {
  return verdict("manual", terms);
}

/** The tool must not run. The model gets the reason. */
export function deny(reason?: string): Verdict {
  if (typeof reason === "object") throw wrongTerms('deny() takes a text; write deny("Why")');
  return reason === undefined ? { kind: "deny" } : { kind: "deny", reason };
}

/** A rule in code: a verdict, or a pure function of the call; `undefined` means that it has nothing to say. */
export type CodeRule = Verdict | ((call: PolicyCall) => Verdict | undefined);

function verdict(kind: VerdictKind, terms: Terms): Verdict {
  if (typeof terms !== "object") {
    throw wrongTerms(`${kind}() takes a set of terms; write ${kind}({ reason: "Why" })`);
  }
  return { ...terms, kind };
}

function wrongTerms(problem: string): CountersignError {
  return new CountersignError("invalid_policy", problem);
}
