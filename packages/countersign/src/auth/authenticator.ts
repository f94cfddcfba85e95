import type { Principal } from "../principal.js";

/** What `approvalsApi` and the other doors ask: who sends this request? `null` for nobody. Never throws. */
export type Authenticator = (request: Request) => Promise<Principal | null>;

/**
 * Why a request has no principal. For logs and counters of the server; a caller learns nothing but 401.
 *
 * - `no_credentials`: nothing of the kind that this authenticator reads
 * - `too_large`, `malformed`: refused before or while parsing
 * - `algorithm_not_allowed`, `unknown_key`, `bad_signature`: not signed as the options say
 * - `keys_unavailable`: the JWKS endpoint did not give a usable set of keys
 * - `expired`, `not_yet_valid`, `too_old`, `idle`: the wrong time
 * - `wrong_issuer`, `wrong_audience`, `wrong_type`: meant for somebody else
 * - `missing_claim`, `unusable_principal`: verified, but it does not say who acts
 * - `unknown_token`, `lookup_failed`: an API token that nobody knows, or whose lookup threw
 * - `foreign_origin`: a cookie on a request that another site, or no page at all, sent
 */
export type AuthRefusal =
  | "no_credentials"
  | "too_large"
  | "malformed"
  | "algorithm_not_allowed"
  | "unknown_key"
  | "bad_signature"
  | "keys_unavailable"
  | "expired"
  | "not_yet_valid"
  | "too_old"
  | "idle"
  | "wrong_issuer"
  | "wrong_audience"
  | "wrong_type"
  | "missing_claim"
  | "unusable_principal"
  | "unknown_token"
  | "lookup_failed"
  | "foreign_origin";

/** What all authenticators of this package take. */
export interface AuthenticatorOptions {
  /**
   * Called with the reason whenever a request gets no principal, a request without credentials included. Never
   * gets the token. What it throws is ignored.
   */
  onRefusal?: ((reason: AuthRefusal) => void) | undefined;
  /** The clock. Left out: the system's. */
  now?: (() => Date) | undefined;
}

/** Stops an authenticator on its way to a principal; never leaves this folder. */
export class Refused extends Error {
  constructor(readonly reason: AuthRefusal) {
    super(reason);
  }
}

/** An authenticator that answers `null` for whatever `identify` throws, and tells the reason. */
export function authenticatorOf(
  identify: (request: Request) => Promise<Principal>,
  onRefusal: AuthenticatorOptions["onRefusal"],
): Authenticator {
  return async (request) => {
    try {
      return await identify(request);
    } catch (error) {
      const reason = error instanceof Refused ? error.reason : "malformed";
      try {
        onRefusal?.(reason);
      } catch {
        // A broken logger must not turn "nobody" into a crash of the request.
      }
      return null;
    }
  };
}
