import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Hono } from "hono";
import type { Grant } from "../../approval/grant.js";
import { mayRevoke } from "../../approval/grant.js";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import type { GrantView } from "../contract/approval-schemas.js";
import { serve } from "../serve.js";

/** Routes for grants that the caller may see. */
export function addGrantRoutes(api: Hono<ApiEnv>, context: ApiContext): void {
  const { store } = context;

  serve(api, "listGrants", async ({ query: { live, limit, cursor } }, c) => {
    const principal = c.get("principal");
    const found = await store.listGrants({
      tenantId: principal.tenantId,
      visibleTo: principal,
      live: live === "true",
      limit: limit + 1,
      ...context.after(cursor),
    });
    return context.page(
      found,
      limit,
      (grant) => grant.createdAt,
      (grant) => grantView(grant, principal),
    );
  });

  serve(api, "getGrant", async ({ params }, c) => {
    const principal = c.get("principal");
    const grant = await store.getGrant(principal, params.id);
    if (!grant) throw unknownGrant();
    return grantView(grant, principal);
  });

  serve(api, "revokeGrant", async ({ params }, c) => {
    const principal = c.get("principal");
    const result = await store.revokeGrant(principal, params.id);
    if (result.outcome === "not_found") throw unknownGrant();
    if (result.outcome === "forbidden") {
      throw new CountersignError("forbidden", "You may see this grant but not revoke it", {
        detail: { approvers: result.grant.approvers, grantedBy: result.grant.grantedBy },
      });
    }
    return grantView(result.grant, principal);
  });
}

function unknownGrant(): CountersignError {
  return new CountersignError("not_found", "The grant does not exist, or you may not see it");
}

/** A grant as the API returns it. Dates are ISO 8601 in UTC. */
function grantView(grant: Grant, reader: Principal): GrantView {
  return {
    id: grant.id,
    scope: grant.scope,
    scopeId: grant.scopeId,
    label: grant.label,
    toolName: grant.toolName,
    arguments:
      grant.condition !== null ? { when: grant.condition } : grant.inputHash !== null ? "exact" : "any",
    /** Summary of the call whose approval created the grant. */
    summary: grant.summary,
    approvalId: grant.approvalId,
    rerun: grant.rerun,
    grantedBy: grant.grantedBy,
    approvers: grant.approvers,
    status: grant.status,
    createdAt: grant.createdAt.toISOString(),
    expiresAt: grant.expiresAt.toISOString(),
    usesLeft: grant.usesLeft,
    usesTaken: grant.usesTaken,
    budget: grant.budget && { ...grant.budget, used: grant.budgetUsed },
    revokedAt: grant.revokedAt?.toISOString() ?? null,
    revokedBy: grant.revokedBy,
    mayRevoke: grant.status !== "revoked" && mayRevoke(grant, reader),
  };
}
