import { claimDelivery } from "../delivery/claim-delivery.js";
import { failUnclaimed, overdueDeliveries } from "../delivery/deliveries.js";
import { endAttempt } from "../delivery/end-attempt.js";
import { fanOut } from "../delivery/fan-out.js";
import { findDeliveries, listDeliveries, replayDelivery } from "../delivery/operators.js";
import type { DeliveryPort } from "../ports/delivery-port.js";
import { readForCard } from "../rows/read-for-card.js";
import type { Scopes } from "../scopes.js";

/** Claims and ends deliveries of messages. */
export function deliveryVerbs({ asSystem, inScopeOf, reading }: Scopes): Omit<DeliveryPort, "onDue"> {
  return {
    claimDelivery: (id, channels, roundups) => asSystem((tx) => claimDelivery(tx, id, channels, roundups)),
    endAttempt: (claimed, end) => asSystem((tx) => endAttempt(tx, claimed, end)),
    fanOut: (claimed, to) => asSystem((tx) => fanOut(tx, claimed, to)),
    overdueDeliveries: (channels, limit) => reading.asSystem((tx) => overdueDeliveries(tx, channels, limit)),
    failUnclaimed: (channels) => asSystem((tx) => failUnclaimed(tx, channels)),
    listDeliveries: (tenantId, approvalId) =>
      reading.inTenant(tenantId, (tx) => listDeliveries(tx, tenantId, approvalId)),
    findDeliveries: (filter) => reading.inScopeOf(filter.tenantId, (tx) => findDeliveries(tx, filter)),
    replayDelivery: (input) => inScopeOf(input.tenantId, (tx) => replayDelivery(tx, input)),
    readForCard: (tenantId, approvalId) =>
      reading.inTenant(tenantId, (tx) => readForCard(tx, tenantId, approvalId)),
  };
}
