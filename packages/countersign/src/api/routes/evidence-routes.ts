import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Hono } from "hono";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import { serve } from "../serve.js";

/** Route for the evidence of a decision. Only auditors get the token, which they can verify independently. */
export function addEvidenceRoutes(api: Hono<ApiEnv>, { store, isAuditor, read }: ApiContext): void {
  serve(api, "getEvidence", async ({ params }, c) => {
    const approval = await read(c, params.id, { auditorsToo: true });
    const evidence = await store.readEvidence(approval.tenantId, approval.id);
    if (!evidence)
      throw new CountersignError(
        "not_found",
        "There is no evidence for this approval: nobody has decided it yet, or no signingKey is set",
      );
    const { id, approvalId, digest, decision, principalId, origin, via, keyId, token } = evidence;
    return {
      id,
      approvalId,
      digest,
      decision,
      principalId,
      origin,
      via,
      keyId,
      createdAt: evidence.createdAt.toISOString(),
      expiresAt: evidence.expiresAt.toISOString(),
      consumedAt: evidence.consumedAt?.toISOString() ?? null,
      ...(isAuditor(c.get("principal")) ? { token } : {}),
    };
  });
}
