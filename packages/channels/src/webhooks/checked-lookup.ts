import type { LookupAddress, LookupAllOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import { isPublicAddress } from "@countersign/policy/internal/shared/public-address";

/** `lookup` of `node:dns`, with all addresses. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The endpoint's host is, or resolves to, an address that is not public. */
export class PrivateAddress extends Error {
  override name = "PrivateAddress";
  constructor() {
    super("The host has an address that is not public");
  }
}

/**
 * Resolves a host for one connection, and refuses it if any of its addresses is not public. The connection uses exactly
 * the checked addresses, so it does not help an attacker to change them between the check and the connection.
 */
export function checkedLookup(resolve: Resolve): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) callback(error, "", 0);
      else if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
        callback(new PrivateAddress(), "", 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
