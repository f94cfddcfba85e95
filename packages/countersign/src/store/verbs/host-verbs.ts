import { getPreferences, setPreferences } from "../host/preferences.js";
import type { HostPort } from "../ports/host-port.js";
import type { Scopes } from "../scopes.js";

/** Reads and writes inbox preferences. */
export function hostVerbs({ inTenant, reading }: Scopes): HostPort {
  return {
    getPreferences: (tenantId, principalId) =>
      reading.inTenant(tenantId, (tx) => getPreferences(tx, tenantId, principalId)),
    setPreferences: (tenantId, principalId, data) =>
      inTenant(tenantId, (tx) => setPreferences(tx, tenantId, principalId, data)),
  };
}
