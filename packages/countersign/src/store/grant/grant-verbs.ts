import type { Scopes } from "../scopes.js";
import type { GrantPort } from "./grant-port.js";
import { getGrant, listGrants, revokeGrant } from "./grants.js";

/** Reads and revokes grants. */
export function grantVerbs({ inTenant }: Scopes): GrantPort {
  return {
    listGrants: (filter) => inTenant(filter.tenantId, (tx) => listGrants(tx, filter)),
    getGrant: (principal, id) => inTenant(principal.tenantId, (tx) => getGrant(tx, principal, id)),
    revokeGrant: (principal, id) => inTenant(principal.tenantId, (tx) => revokeGrant(tx, principal, id)),
  };
}
