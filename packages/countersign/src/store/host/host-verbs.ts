import type { Scopes } from "../scopes.js";
import type { HostPort } from "./host-port.js";
import { getPreferences, setPreferences } from "./personal.js";

/** Reads and writes inbox preferences. */
export function hostVerbs({ inTenant }: Scopes): HostPort {
  return {
    getPreferences: (tenantId, principalId) =>
      inTenant(tenantId, (tx) => getPreferences(tx, tenantId, principalId)),
    setPreferences: (tenantId, principalId, data) =>
      inTenant(tenantId, (tx) => setPreferences(tx, tenantId, principalId, data)),
  };
}
