import type { Hono } from "hono";
import { z } from "zod";
import type { Grant } from "../approval/grant.js";
import { CountersignError } from "../errors.js";
import type { Principal } from "../principal.js";
import { mayRevoke } from "../store/grants.js";
import type { Store } from "../store/store.js";
import type { ApiEnv } from "./api-env.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { parseOrRefuse } from "./problem.js";

const grantsQuery = z.object({
  live: z.enum(["true", "false"]).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().min(1).optional(),
});

/** `GET /grants`, `/grants/:id` and `POST /grants/:id/revoke`: standing approvals that the caller may see. */
export function addGrantRoutes(api: Hono<ApiEnv>, store: Store): void {
  api.get("/grants", async (c) => {
    const principal = c.get("principal");
    const { live, limit, cursor } = parseOrRefuse(grantsQuery, c.req.query(), "query");
    const found = await store.listGrants({
      tenantId: principal.tenantId,
      visibleTo: principal,
      live: live === "true",
      limit: limit + 1,
      ...(cursor ? { after: decodeCursor(cursor) } : {}),
    });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const nextCursor = found.length > limit && last ? encodeCursor(last) : null;
    return c.json({ items: items.map((grant) => grantView(grant, principal)), nextCursor });
  });

  api.get("/grants/:id", async (c) => {
    const principal = c.get("principal");
    const grant = await store.getGrant(principal, c.req.param("id"));
    if (!grant) throw unknownGrant();
    return c.json(grantView(grant, principal));
  });

  api.post("/grants/:id/revoke", async (c) => {
    const principal = c.get("principal");
    const result = await store.revokeGrant(principal, c.req.param("id"));
    if (result.outcome === "not_found") throw unknownGrant();
    if (result.outcome === "forbidden") {
      throw new CountersignError("forbidden", "You may see this grant but not revoke it", {
        detail: { approvers: result.grant.approvers, grantedBy: result.grant.grantedBy },
      });
    }
    return c.json(grantView(result.grant, principal));
  });
}

function unknownGrant(): CountersignError {
  return new CountersignError("not_found", "There is no such grant, or you may not see it");
}

/** A grant as the API shows it. Dates are ISO 8601 in UTC. */
function grantView(grant: Grant, reader: Principal) {
  return {
    id: grant.id,
    scope: grant.scope,
    scopeId: grant.scopeId,
    toolName: grant.toolName,
    arguments:
      grant.condition !== null ? { when: grant.condition } : grant.inputHash !== null ? "exact" : "any",
    /** The call with which it was given. */
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
    revokedAt: grant.revokedAt?.toISOString() ?? null,
    revokedBy: grant.revokedBy,
    mayRevoke: grant.status !== "revoked" && mayRevoke(grant, reader),
  };
}

export type GrantView = ReturnType<typeof grantView>;
