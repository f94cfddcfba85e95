import { atFirstUse } from "@countersign/policy/internal/shared/at-first-use";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Hono } from "hono";
import { habitOf } from "../../insight/habit-of.js";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import { type Answer, serve } from "../serve.js";

/** Maximum number of calls that are counted. */
const maxCounted = 20_000;

type Suggestions = Answer<"getInsight">["suggestions"];

/** The route for what was decided over a time. Auditors read about all calls of their tenant, others about those they may see. */
export function addInsightRoutes(api: Hono<ApiEnv>, context: ApiContext): void {
  const { store, countersign, isAuditor } = context;
  const suggest = atFirstUse(async () => {
    const { createCurrentSuggestions } = await import("../../insight/current-suggestions.js");
    return createCurrentSuggestions(store, countersign.policy);
  });

  serve(api, "getInsight", async ({ query }, c) => {
    const reader = c.get("principal");
    const days = Number(query.days);
    const filter = {
      tenantId: reader.tenantId,
      days,
      limit: maxCounted,
      visibleTo: isAuditor(reader) ? undefined : reader,
    };
    const { rules, approvers, asked, more } = await store.readInsight(filter);
    return {
      days,
      asked,
      more,
      rules: rules.map(({ toolName: tool, ...rule }) => ({ tool, ...rule, habit: habitOf(rule) })),
      approvers: approvers.map(({ approverId: id, ...approver }) => ({ id, ...approver })),
      suggestions: await suggestionsFor(reader, days),
      serverTime: await context.serverTime(),
    };
  });

  /** Suggestions contain conditions of the policy, which only auditors may evaluate. */
  async function suggestionsFor(reader: Principal, days: number): Promise<Suggestions> {
    if (!isAuditor(reader)) return { state: "auditors_only" };
    const found = await (await suggest())(reader.tenantId, days);
    if (!found) return { state: "no_policy_files" };
    const items = found.items.map(({ toolName: tool, ...item }) => ({ tool, ...item }));
    return { state: "found", ...found, testedSince: found.testedSince.toISOString(), items };
  }
}
