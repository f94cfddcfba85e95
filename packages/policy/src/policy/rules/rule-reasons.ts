import type { Risk } from "./rule.js";

/** The requirements that a rule adds. Only those in force are listed, since another rule may require more. */
export interface AddedTerms {
  risk?: Risk;
  /** Number of different people who must approve. */
  quorum?: number;
  distinctRoles?: true;
  approvers?: { roles: string[]; ids: string[] };
  requesterMayNotApprove?: true;
  /** Milliseconds. */
  timeoutMs?: number;
}

/** The reason of a matching rule and the requirements it adds. */
export interface RuleReason {
  /** The rule's id. */
  rule: string;
  reason: string | null;
  adds: AddedTerms;
}

/** Joins the distinct reasons of rules into one text, in rule order. */
export function joinReasons(all: readonly string[]): string | null {
  const reasons = [...new Set(all.flatMap((reason) => (reason ? [reason.trim()] : [])))];
  if (reasons.length === 0) return null;
  return reasons.map((text, at) => (at < reasons.length - 1 ? ended(text) : text)).join(" ");
}

function ended(sentence: string): string {
  return /[.!?…:;]$/.test(sentence) ? sentence : `${sentence}.`;
}
