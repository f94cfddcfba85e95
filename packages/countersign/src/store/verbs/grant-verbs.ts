import { getGrant, listGrants, revokeGrant } from "../grant/grants.js";
import type { GrantPort } from "../ports/grant-port.js";
import type { Scopes } from "../scopes.js";

/** Reads and revokes grants. */
export function grantVerbs({ inTenant, reading }: Scopes): GrantPort {
  return {
    listGrants: (filter) => reading.inTenant(filter.tenantId, (tx) => listGrants(tx, filter)),
    getGrant: (principal, id) => reading.inTenant(principal.tenantId, (tx) => getGrant(tx, principal, id)),
    revokeGrant: (principal, id) => inTenant(principal.tenantId, (tx) => revokeGrant(tx, principal, id)),
  };
}
