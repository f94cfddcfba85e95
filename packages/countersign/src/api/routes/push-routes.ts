import { ECDH } from "node:crypto";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { isPrivateLiteral } from "@countersign/policy/internal/shared/public-address";
import type { Hono } from "hono";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import { serve } from "../serve.js";

/** Routes with which the signed-in person's browser subscribes to push messages. */
export function addPushRoutes(api: Hono<ApiEnv>, { store, countersign: { pushKey } }: ApiContext): void {
  serve(api, "getPush", () => ({ publicKey: pushKey }));

  serve(api, "subscribeToPush", async ({ body: { endpoint, keys } }, c) => {
    if (pushKey === null)
      throw new CountersignError("push_not_configured", "The server's channels do not include pushChannel()");
    if (isPrivateLiteral(new URL(endpoint)))
      throw new CountersignError("invalid_request", "body.endpoint: must not be a private address");
    if (!isOnCurve(keys.p256dh))
      throw new CountersignError("invalid_request", "body.keys.p256dh: must be a point of the curve P-256");
    const { tenantId, id: principalId, roles } = c.get("principal");
    const saved = await store.savePushSubscription(tenantId, { principalId, roles, endpoint, keys });
    // The message does not say that the endpoint is somebody else's.
    if (!saved) throw new CountersignError("invalid_request", "body: must be a current subscription");
    return { subscribed: true };
  });

  serve(api, "unsubscribeFromPush", async ({ body: { endpoint } }, c) => {
    const { tenantId, id: principalId } = c.get("principal");
    await store.deletePushSubscription(tenantId, { principalId, endpoint });
    return { subscribed: false };
  });
}

function isOnCurve(publicKey: string): boolean {
  try {
    ECDH.convertKey(publicKey, "prime256v1", "base64url", "base64url", "compressed");
    return true;
  } catch {
    return false;
  }
}
