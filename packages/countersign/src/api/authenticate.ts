import {
  type Principal,
  requiredPrincipal,
  type VerifiedPrincipal,
} from "@countersign/policy/internal/shared/principal";
import type { Countersign } from "../instance/countersign.js";

/**
 * Returns the principal of a request, from a verified session or token, or `null` if there is none. A principal without
 * the field `tenantId` belongs to the `tenantId` of `createCountersign`.
 */
export type Authenticate = (request: Request) => VerifiedPrincipal | null | Promise<VerifiedPrincipal | null>;

/**
 * The host's function with its result checked.
 * @throws CountersignError `invalid_option` if that is no principal.
 */
export function checkedPrincipals(
  { tenantId }: Pick<Countersign, "tenantId">,
  authenticate: Authenticate,
): (request: Request) => Promise<Principal | null> {
  return async (request) => {
    const principal = await authenticate(request);
    return principal && requiredPrincipal(principal, "authenticate", tenantId);
  };
}
