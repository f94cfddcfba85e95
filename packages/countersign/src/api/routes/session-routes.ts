import { inForce } from "@countersign/policy/internal/policy/policy-versions";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Hono } from "hono";
import * as z from "zod";
import { readCounted } from "../../counting/call-counts.js";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import { preferencesSchema } from "../contract/approval-schemas.js";
import { serve } from "../serve.js";

/** Routes for the signed-in principal, their inbox preferences, and policy explanations. */
export function addSessionRoutes(
  api: Hono<ApiEnv>,
  { store, countersign, isAuditor, seesEverything, mayStop, serverTime }: ApiContext,
): void {
  serve(api, "me", async (_, c) => {
    const principal = c.get("principal");
    const { id, tenantId, roles, displayName } = principal;
    return {
      principal: { id, tenantId, roles, ...(displayName === undefined ? {} : { displayName }) },
      can: {
        auditAll: isAuditor(principal),
        seeEverything: seesEverything(principal),
        stop: mayStop(principal),
      },
      serverTime: await serverTime(),
    };
  });

  serve(api, "getPreferences", async (_, c) => {
    const { tenantId, id } = c.get("principal");
    // Preferences that this version cannot parse (written by another version) fall back to the defaults.
    // A preference that no longer exists does not reset the others.
    return z
      .object(preferencesSchema.shape)
      .catch(preferencesSchema.parse({}))
      .parse(await store.getPreferences(tenantId, id));
  });

  serve(api, "setPreferences", async ({ body }, c) => {
    const { tenantId, id } = c.get("principal");
    await store.setPreferences(tenantId, id, body);
    return body;
  });

  serve(api, "explainPolicy", async ({ body }, c) => {
    const principal = c.get("principal");
    if (!isAuditor(principal)) {
      throw new CountersignError("auditors_only", "Only auditors may evaluate the policy");
    }
    const { toolName, input, profile, effects, reversible, threadId = null } = body;
    const policy = inForce(countersign.policy);
    const asked = { input, threadId, tenantId: principal.tenantId, requesterId: body.principal?.id ?? null };
    const counted = body.counted ?? (await readCounted({ policy, store }, { toolName }, asked));
    const { kind, policyVersion, matched, skipped, terms } = policy.explain({
      toolName,
      input,
      profile,
      effects,
      reversible,
      counted,
      principal: body.principal ?? null,
      thread: threadId === null ? null : { id: threadId },
    });
    return {
      kind,
      policyVersion,
      terms: { ...terms },
      counted: { ...counted },
      matched: matched.map(({ reason, ...rule }) => ({
        ...rule,
        ...(reason === undefined ? {} : { reason }),
      })),
      ...(skipped && { skipped }),
    };
  });
}
