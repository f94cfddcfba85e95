import type { Policy } from "../policy.js";
import type { ToolFacts } from "../policy-call.js";
import { countsOf, ruleCovers } from "../rules/compiled-rule.js";
import type { DecidedCall } from "./decided-call.js";
import type { PolicyPlace } from "./policy-places.js";

/** Where a policy asks about a call, or why no suggestion may change that. */
export type Asking = { places: PolicyPlace[] } | { why: string };

/** Where the policy asks about a call, if one person's approval is all that it asks for. */
export function askingPlaces(policy: Policy, places: readonly PolicyPlace[], decided: DecidedCall): Asking {
  const { call, verdict, terms: then } = decided;
  const { kind, matched, terms: now } = policy.explain(call);
  if (verdict !== "ask" || kind !== "ask") {
    return { why: `their verdict ${verdict === "ask" ? `is ${kind} now` : `was ${verdict}`}` };
  }
  for (const terms of [then, now]) {
    if (terms.quorum > 1) return { why: "several people must approve them" };
    if (terms.risk === "critical") return { why: "their risk is critical" };
    if (terms.requesterMayNotApprove) return { why: "their requester may not approve them" };
  }
  const asking = matched.filter((rule) => rule.verdict === "ask");
  const byDefault = asking.some(({ because }) => because === "default");
  const found = places.filter(
    (place) => place.verdict === "ask" && (place.rule ? place.rule.appliesTo(call) : byDefault),
  );
  // Its condition says that these calls are too many, whatever people thought of each.
  if (found.some(({ rule }) => rule && countsOf(rule.compiled).length > 0)) {
    return { why: "a limit over time asks about them" };
  }
  return found.length === asking.length
    ? { places: found }
    : { why: "something else asks about them than the rules of these files" };
}

/**
 * Conditions that a looser rule must add, so that a call that another rule asks about as well keeps the terms of all
 * rules. `undefined` if another rule has no condition, such as one of a profile.
 */
export function conditionsOfOthers(
  places: readonly PolicyPlace[],
  asking: readonly PolicyPlace[],
  tool: ToolFacts,
): string[] | undefined {
  const conditions: string[] = [];
  for (const place of places) {
    const { rule, verdict } = place;
    if (!rule || asking.includes(place) || !["ask", "manual"].includes(verdict)) continue;
    if (!ruleCovers(rule.compiled, tool)) continue;
    if (rule.when === undefined) return undefined;
    conditions.push(`!${inParentheses(rule.when)}`);
  }
  return conditions;
}

/** Whether a rule or default that may apply insists on a preview. */
export function insistsOnPreview(places: readonly PolicyPlace[], tool: ToolFacts): boolean {
  return places.some(
    ({ written, rule }) => written.withoutPreview !== undefined && (!rule || ruleCovers(rule.compiled, tool)),
  );
}

/** A condition as a part of another. A comment in it must end before the parenthesis. */
export function inParentheses(when: string): string {
  return when.includes("//") ? `(${when.trim()}\n)` : `(${when.trim()})`;
}
