import type { Policy } from "@countersign/policy/internal/policy/policy";
import { inForce } from "@countersign/policy/internal/policy/policy-versions";
import { createSharedResults } from "@countersign/policy/internal/shared/shared-results";
import type { InsightPort } from "../store/ports/insight-port.js";
import { type SuggestedRules, suggestFromRows } from "./suggest-from-rows.js";

/** Maximum number of decided calls from which rules are suggested. */
const maxLearned = 2_000;
const dayMs = 86_400_000;
/** Suggesting rules takes up to two seconds of the processor, and readers reload pages. */
const sharing = { maxAgeMs: 60_000, maxKept: 20 };

/** Where suggestions come from. */
export interface SuggestionSource extends Pick<InsightPort, "listDecided"> {
  now(): Promise<Date>;
}

/** Suggests rules from a tenant's decided calls of the last days. `undefined` if the policy has no files. */
export type CurrentSuggestions = (tenantId: string, days: number) => Promise<SuggestedRules | undefined>;

/**
 * Computes the suggestions of a tenant, a period and a version of the policy once at a time, and again when they are a
 * minute old. They are the same for all readers who may see them, so the caller must check that first.
 */
export function createCurrentSuggestions(store: SuggestionSource, policy: Policy): CurrentSuggestions {
  const shared = createSharedResults<SuggestedRules | undefined>(sharing);
  return async (tenantId, days) => {
    const until = await store.now();
    const present = policyInForce(policy);
    if (present.files().length === 0) return undefined;
    return shared(JSON.stringify([tenantId, days, present.version]), until, async () => {
      const rows = await store.listDecided({ tenantId, days, limit: maxLearned });
      const oldest = rows.length < maxLearned ? undefined : rows.at(-1)?.decidedAt;
      const time = { from: oldest ?? new Date(until.getTime() - days * dayMs), until };
      return suggestFromRows({ policy: present, rows, time });
    });
  };
}

/** The present version of the policy, even if its files change during the computation. */
function policyInForce(policy: Policy) {
  const current = inForce(policy);
  const files = policy.files?.() ?? [];
  const evaluate: Policy["evaluate"] = (call) => current.evaluate(call);
  return { version: current.version, files: () => files, evaluate };
}
