import type { VerifiedPrincipal } from "@countersign/policy/internal/shared/principal";

/** Identifies who sends a request; `null` if nobody is signed in. Never throws. */
export type Authenticator = (request: Request) => Promise<VerifiedPrincipal | null>;

/**
 * Why a request has no principal. For the server's logs and metrics; the caller only gets a 401.
 *
 * - `no_credentials`: the request has no credentials of this authenticator's kind
 * - `too_large`, `malformed`: rejected before or during parsing
 * - `algorithm_not_allowed`, `unknown_key`, `bad_signature`: the signature does not match the options
 * - `keys_unavailable`: the JWKS endpoint did not return a usable key set
 * - `expired`, `not_yet_valid`, `too_old`, `idle`: outside the accepted time
 * - `wrong_issuer`, `wrong_audience`, `wrong_type`: the token was issued by or for someone else
 * - `missing_claim`, `unusable_principal`: the token is valid but does not identify a principal
 * - `unknown_token`, `lookup_failed`: the API token is unknown, or its lookup threw
 * - `foreign_origin`: a request with a cookie that did not come from an allowed origin
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

/** Options shared by all authenticators of this package. */
export interface AuthenticatorOptions {
  /**
   * Called with the reason whenever a request gets no principal, including requests without credentials. Never
   * receives the token. Errors it throws are ignored.
   */
  onRefusal?: ((reason: AuthRefusal) => void) | undefined;
  /** The clock. @default the system clock */
  now?: (() => Date) | undefined;
}

/** Rejects a request inside an authenticator. Never leaves this folder. */
export class Refused extends Error {
  constructor(readonly reason: AuthRefusal) {
    super(reason);
  }
}

/** Creates an authenticator that returns `null` and reports the reason if `identify` throws. */
export function authenticatorOf(
  identify: (request: Request) => Promise<VerifiedPrincipal>,
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
        // A broken logger must not fail the request.
      }
      return null;
    }
  };
}
