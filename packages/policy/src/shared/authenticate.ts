import { type Principal, requiredPrincipal, type VerifiedPrincipal } from "./principal.js";

/**
 * Returns the principal of a request, from a verified session or token, or `null` if there is none. A principal without
 * the field `tenantId` belongs to the `tenantId` of `createCountersign`.
 */
export type Authenticate = (request: Request) => VerifiedPrincipal | null | Promise<VerifiedPrincipal | null>;

/**
 * The host's function with its result checked.
 *
 * @param instance Of Countersign, whose tenant is that of a principal without one.
 * @throws CountersignError `invalid_option` if the result is no principal.
 */
export function checkedPrincipals(
  { tenantId }: { tenantId: string },
  authenticate: Authenticate,
): (request: Request) => Promise<Principal | null> {
  return async (request) => {
    const principal = await authenticate(request);
    return principal && requiredPrincipal(principal, "authenticate", tenantId);
  };
}
