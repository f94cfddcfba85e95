import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Hono } from "hono";
import { mayDecide } from "../../approval/who-decides.js";
import type { DeliveryRecord } from "../../store/ports/delivery-port.js";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import type { DeliveryView } from "../contract/delivery-schema.js";
import { serve } from "../serve.js";

/** Routes for the messages of channels. Operators send failed ones again. */
export function addDeliveryRoutes(
  api: Hono<ApiEnv>,
  { store, read, mayStop, isAuditor, serverTime }: ApiContext,
): void {
  serve(api, "listDeliveries", async ({ params }, c) => {
    const principal = c.get("principal");
    const approval = await read(c, params.id, { auditorsToo: true });
    const found = await store.listDeliveries(approval.tenantId, approval.id);
    const isTold = mayDecide(approval, principal) || isAuditor(principal) || mayStop(principal);
    const view = isTold ? deliveryView : withoutRecipients;
    return { items: found.map(view), serverTime: await serverTime() };
  });

  serve(api, "replayDelivery", async ({ params }, c) => {
    const principal = c.get("principal");
    if (!mayStop(principal)) {
      throw new CountersignError("forbidden", "None of your roles may send messages again");
    }
    const again = await store.replayDelivery({
      tenantId: principal.tenantId,
      by: principal,
      deliveryId: params.id,
    });
    if (!again) throw new CountersignError("not_found", "The delivery does not exist");
    return deliveryView(again);
  });
}

/** A delivery as the API returns it. Dates are ISO 8601 in UTC. */
function deliveryView({
  recipient,
  tenantId: _tenant,
  createdAt: _created,
  ...delivery
}: DeliveryRecord): DeliveryView {
  return {
    ...delivery,
    recipient: recipient?.label ?? null,
    occurredAt: delivery.occurredAt.toISOString(),
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    sentAt: delivery.sentAt?.toISOString() ?? null,
  };
}

/** For requesters who may not decide, such as customers: they must not see the addresses of staff. */
function withoutRecipients(delivery: DeliveryRecord): DeliveryView {
  return { ...deliveryView(delivery), target: null, recipient: null, lastError: null };
}
