import type { Hono } from "hono";
import { CountersignError } from "../errors.js";
import type { ApiContext } from "./api-context.js";
import type { ApiEnv } from "./api-env.js";
import { preferencesSchema } from "./contract/approval-schemas.js";
import { serve } from "./serve.js";

/** Who is signed in, how they like their inbox, and what the policy would say. */
export function addSessionRoutes(
  api: Hono<ApiEnv>,
  { store, countersign, isAuditor, seesEverything, serverTime }: ApiContext,
): void {
  serve(api, "me", async (_, c) => {
    const principal = c.get("principal");
    const { id, tenantId, roles, displayName } = principal;
    return {
      principal: { id, tenantId, roles, ...(displayName === undefined ? {} : { displayName }) },
      can: { auditAll: isAuditor(principal), seeEverything: seesEverything(principal) },
      serverTime: await serverTime(),
    };
  });

  serve(api, "getPreferences", async (_, c) => {
    const { tenantId, id } = c.get("principal");
    // What an earlier version wrote, and this one does not know, is as if it had never been said.
    return preferencesSchema
      .catch(preferencesSchema.parse({}))
      .parse(await store.getPreferences(tenantId, id));
  });

  serve(api, "setPreferences", async ({ body }, c) => {
    const { tenantId, id } = c.get("principal");
    await store.setPreferences(tenantId, id, body);
    return body;
  });

  serve(api, "explainPolicy", ({ body }, c) => {
    const principal = c.get("principal");
    if (!isAuditor(principal)) {
      throw new CountersignError("auditors_only", "Only auditors may ask what the policy would say");
    }
    const { kind, policyVersion, matched, terms } = countersign.policy.explain({
      toolName: body.toolName,
      input: body.input,
      principal: body.principal ?? null,
      thread: body.threadId === undefined ? null : { id: body.threadId },
      profile: body.profile,
    });
    return {
      kind,
      policyVersion,
      terms: { ...terms },
      matched: matched.map(({ reason, ...rule }) => ({
        ...rule,
        ...(reason === undefined ? {} : { reason }),
      })),
    };
  });
}
