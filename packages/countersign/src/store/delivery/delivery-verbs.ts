import { readForCard } from "../reading/read-for-card.js";
import type { Scopes } from "../scopes.js";
import { claimDelivery } from "./claim-delivery.js";
import { failUnclaimed, overdueDeliveries } from "./deliveries.js";
import type { DeliveryPort } from "./delivery-port.js";
import { endAttempt } from "./end-attempt.js";
import { fanOut } from "./fan-out.js";
import { findDeliveries, listDeliveries, replayDelivery } from "./operators.js";

/** Claims and ends deliveries of messages. */
export function deliveryVerbs({ inTenant, asSystem, inScopeOf }: Scopes): Omit<DeliveryPort, "onDue"> {
  return {
    claimDelivery: (id, channels, digests) => asSystem((tx) => claimDelivery(tx, id, channels, digests)),
    endAttempt: (claimed, end) => asSystem((tx) => endAttempt(tx, claimed, end)),
    fanOut: (claimed, to) => asSystem((tx) => fanOut(tx, claimed, to)),
    overdueDeliveries: (channels, limit) => asSystem((tx) => overdueDeliveries(tx, channels, limit)),
    failUnclaimed: (channels) => asSystem((tx) => failUnclaimed(tx, channels)),
    listDeliveries: (tenantId, approvalId) =>
      inTenant(tenantId, (tx) => listDeliveries(tx, tenantId, approvalId)),
    findDeliveries: (filter) => inScopeOf(filter.tenantId, (tx) => findDeliveries(tx, filter)),
    replayDelivery: (input) => inScopeOf(input.tenantId, (tx) => replayDelivery(tx, input)),
    readForCard: (tenantId, approvalId) => inTenant(tenantId, (tx) => readForCard(tx, tenantId, approvalId)),
  };
}
