import { optionMs, textList, wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { authenticatedWith } from "@countersign/policy/internal/shared/principal";
import { errors, type JWTPayload, jwtVerify } from "jose";
import { type Authenticator, type AuthenticatorOptions, authenticatorOf, Refused } from "../authenticator.js";
import { checkPrincipalClaims, type PrincipalClaims, principalOfClaims } from "../principal-claims.js";
import { bearerToken } from "../tokens/bearer-token.js";
import { type JwtAlgorithm, type JwtKeySource, jwtKeys } from "./jwt-keys.js";

/** Which JSON Web Tokens are accepted, and how they map to principals. */
export type JwtAuthenticatorOptions = JwtKeySource &
  AuthenticatorOptions & {
    /** Accepted issuers (`iss`). */
    issuer: string | readonly string[];
    /** Accepted audiences (`aud`). Without this check, tokens for another service would be accepted here. */
    audience: string | readonly string[];
    /**
     * Accepted signature algorithms. A secret takes HS256, HS384 or HS512; public keys take the others. `none` is
     * never accepted.
     */
    algorithms: readonly JwtAlgorithm[];
    claims: PrincipalClaims;
    /** Required media type (`typ`), for issuers that set it. `"at+jwt"` rejects ID tokens (RFC 9068). */
    type?: string | undefined;
    /** Allowed clock difference to the issuer in seconds, at most 300. Applies to `exp`, `nbf` and `iat`. @default 5 */
    clockTolerance?: number | undefined;
    /** Maximum age since the token was issued (`iat`), such as `"1h"`, regardless of `exp`. */
    maxAge?: string | undefined;
  };

const maxTolerance = 300;

/**
 * Authenticates people and services by a JSON Web Token (RFC 7519) in the `Authorization: Bearer` header. Tokens must
 * be signed and have `exp`. An invalid token yields `null`, and `onRefusal` gets the reason.
 *
 * Keys from `jwksUrl` are cached for ten minutes. A token with an unknown key id triggers a refetch, at most every 30
 * seconds. While the endpoint is down and the cached keys are stale, every request is rejected.
 *
 * @throws CountersignError `invalid_option` naming the option. Thrown at construction, not at the first request.
 *
 * @example
 * ```ts
 * import { jwtAuthenticator } from "countersign/auth";
 *
 * export const authenticate = jwtAuthenticator({
 *   jwksUrl: "https://login.example.com/.well-known/jwks.json",
 *   issuer: "https://login.example.com/",
 *   audience: "https://approvals.example.com",
 *   algorithms: ["RS256"],
 *   claims: { tenantId: "org_id", roles: "realm_access.roles", displayName: "name" },
 *   onRefusal: (reason) => console.warn("token refused:", reason),
 * });
 * ```
 */
export function jwtAuthenticator(options: JwtAuthenticatorOptions): Authenticator {
  const now = options.now ?? (() => new Date());
  const issuer = textList("issuer", options.issuer, "is required: the iss claim of accepted tokens");
  const audience = textList(
    "audience",
    options.audience,
    "is required: the aud claim that identifies this service",
  );
  const { key, algorithms } = jwtKeys(options, now);
  checkPrincipalClaims(options.claims);
  const { claims } = options;
  const clockTolerance = toleranceOf(options.clockTolerance);
  const verification = {
    issuer,
    audience,
    algorithms,
    requiredClaims: ["exp"],
    clockTolerance,
    ...(options.type === undefined ? {} : { typ: options.type }),
    ...(options.maxAge === undefined ? {} : { maxTokenAge: optionMs("maxAge", options.maxAge) / 1000 }),
  };

  return authenticatorOf(async (request) => {
    const token = bearerToken(request);
    const currentDate = now();
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, key, { ...verification, currentDate }));
    } catch (error) {
      throw error instanceof Refused ? error : new Refused(reasonOf(error));
    }
    // jose checks `iat` only if a maximum age is set.
    const latestIssue = Math.floor(currentDate.getTime() / 1000) + clockTolerance;
    if (payload.iat !== undefined && payload.iat > latestIssue) throw new Refused("not_yet_valid");
    return { ...principalOfClaims(claims, payload), authenticatedBy: authenticatedWith("jwt", payload.iss) };
  }, options.onRefusal);
}

function toleranceOf(seconds = 5): number {
  if (!(seconds >= 0 && seconds <= maxTolerance)) {
    throw wrongOption("clockTolerance", `must be a number of seconds from 0 to ${maxTolerance}`);
  }
  return seconds;
}

/** Maps a jose error to a reason. The error itself holds the token's claims and is never passed on. */
function reasonOf(error: unknown) {
  if (error instanceof errors.JWTExpired) return error.claim === "iat" ? "too_old" : "expired";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === "missing") return "missing_claim";
    return claimReasons.get(error.claim) ?? "malformed";
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return "algorithm_not_allowed";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "bad_signature";
  if (error instanceof errors.JWKSNoMatchingKey) return "unknown_key";
  // Several keys match a token without a key id. Issuers with more than one key must send one.
  if (error instanceof errors.JWKSMultipleMatchingKeys) return "unknown_key";
  return "malformed";
}

const claimReasons = new Map([
  ["iss", "wrong_issuer"],
  ["aud", "wrong_audience"],
  ["nbf", "not_yet_valid"],
  ["iat", "not_yet_valid"],
  ["typ", "wrong_type"],
] as const) as ReadonlyMap<string, "wrong_issuer" | "wrong_audience" | "not_yet_valid" | "wrong_type">;
