import type { Approvers } from "../approval/approval.js";

/** What a policy says about one call; `deny` is the strictest. */
export type Verdict =
  | { kind: "allow" }
  | { kind: "ask"; reason?: string; approvers: Approvers; timeout?: string }
  | { kind: "deny"; reason?: string };

/** From loosest to strictest; the strictest of all verdicts about a call holds. */
const strictness = ["allow", "ask", "deny"] as const satisfies readonly Verdict["kind"][];

/** What people may say about an `ask`. */
export interface AskOptions {
  /** Why this needs a person; shown to approvers. */
  reason?: string;
  /** Who may decide. Left out: every signed-in principal of the tenant. */
  approvers?: { roles?: string[]; ids?: string[] };
  /** How long people have, such as `"30m"` or `"2 days"`; the instance's `timeout` where left out. */
  timeout?: string;
}

/** The tool may run at once. */
export function allow(): Verdict {
  return { kind: "allow" };
}

/**
 * A person decides before the tool runs.
 *
 * @example
 * ```ts
 * import { ask } from "countersign";
 *
 * export const refunds = ask({ reason: "Money leaves the company", approvers: { roles: ["finance"] } });
 * ```
 */
export function ask(options: AskOptions = {}): Verdict {
  const { approvers, ...rest } = options;
  return { kind: "ask", ...rest, approvers: { roles: approvers?.roles ?? [], ids: approvers?.ids ?? [] } };
}

/** The tool must not run; the model is told, with the reason. */
export function deny(reason?: string): Verdict {
  return reason === undefined ? { kind: "deny" } : { kind: "deny", reason };
}

/** The strictest of the verdicts; the first of several equally strict ones. */
export function strictest(verdicts: readonly Verdict[]): Verdict | undefined {
  let found: Verdict | undefined;
  for (const verdict of verdicts) {
    if (!found || strictness.indexOf(verdict.kind) > strictness.indexOf(found.kind)) found = verdict;
  }
  return found;
}
