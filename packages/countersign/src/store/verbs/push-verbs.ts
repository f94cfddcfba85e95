import type { PushPort } from "../ports/push-port.js";
import * as push from "../push/push-subscriptions.js";
import type { Scopes } from "../scopes.js";

/** Reads and writes the browsers that people have subscribed. */
export function pushVerbs({ asSystem, inTenant, reading }: Scopes): PushPort {
  return {
    savePushSubscription: (tenantId, subscription) =>
      asSystem((tx) => push.savePushSubscription(tx, tenantId, subscription)),
    listPushSubscriptions: (tenantId, id) =>
      reading.inTenant(tenantId, (tx) => push.listPushSubscriptions(tx, tenantId, id)),
    deletePushSubscription: (tenantId, which) =>
      inTenant(tenantId, (tx) => push.deletePushSubscription(tx, tenantId, which)),
  };
}
