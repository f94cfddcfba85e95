import type { Hono } from "hono";
import { CountersignError } from "../errors.js";
import type { ApiContext } from "./api-context.js";
import type { ApiEnv } from "./api-env.js";
import { serve } from "./serve.js";

/** The proof of a decision; its token is for auditors, who may verify it elsewhere. */
export function addEvidenceRoutes(api: Hono<ApiEnv>, { store, isAuditor, read }: ApiContext): void {
  serve(api, "getEvidence", async ({ params }, c) => {
    const approval = await read(c, params.id, { auditorsToo: true });
    const evidence = await store.readEvidence(approval.tenantId, approval.id);
    if (!evidence) throw new CountersignError("not_found", "There is no evidence of a decision");
    const { id, approvalId, digest, decision, principalId, origin, keyId, token } = evidence;
    return {
      id,
      approvalId,
      digest,
      decision,
      principalId,
      origin,
      keyId,
      createdAt: evidence.createdAt.toISOString(),
      expiresAt: evidence.expiresAt.toISOString(),
      consumedAt: evidence.consumedAt?.toISOString() ?? null,
      ...(isAuditor(c.get("principal")) ? { token } : {}),
    };
  });
}
