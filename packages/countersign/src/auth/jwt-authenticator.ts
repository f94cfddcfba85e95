import { errors, jwtVerify } from "jose";
import { type Authenticator, type AuthenticatorOptions, authenticatorOf, Refused } from "./authenticator.js";
import { bearerToken } from "./bearer-token.js";
import { type JwtAlgorithm, type JwtKeySource, jwtKeys } from "./jwt-keys.js";
import { durationMs, textList, wrongOption } from "./options.js";
import { checkPrincipalClaims, type PrincipalClaims, principalOfClaims } from "./principal-claims.js";
import { authenticatedWith } from "./verified-principal.js";

/** Which JSON Web Tokens count, and whom they name. */
export type JwtAuthenticatorOptions = JwtKeySource &
  AuthenticatorOptions & {
    /** Who must have issued the token (`iss`): one of these. */
    issuer: string | readonly string[];
    /** For whom it must be (`aud`): one of these. Without it, a token for another service would open this one. */
    audience: string | readonly string[];
    /** What tokens may be signed with. A secret takes HS…, keys take the others; `none` is never accepted. */
    algorithms: readonly JwtAlgorithm[];
    claims: PrincipalClaims;
    /** The token's media type (`typ`), for issuers that set it: `"at+jwt"` keeps ID tokens out (RFC 9068). */
    type?: string | undefined;
    /** Seconds by which the issuer's clock may differ from ours, at most 300. Left out: 5. */
    clockTolerance?: number | undefined;
    /** The longest time since a token was issued (`iat`), such as `"1h"`, whatever its own `exp` says. */
    maxAge?: string | undefined;
  };

const largestTolerance = 300;

/**
 * People and services with a JSON Web Token (RFC 7519) in `Authorization: Bearer …`. Tokens must be signed and carry
 * `exp`; whatever else is wrong with one gives `null`, with the reason to `onRefusal`.
 *
 * Keys of a `jwksUrl` are kept for ten minutes. A token with an unknown key id has them fetched anew, at most every 30
 * seconds; while the endpoint is down and no fresh keys are at hand, everybody is refused.
 *
 * @throws CountersignError `invalid_option` naming the option, at the start rather than at the first request.
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
  const issuer = textList("issuer", options.issuer, "is required: the iss of the tokens that count");
  const audience = textList("audience", options.audience, "is required: the aud that means this service");
  const { key, algorithms } = jwtKeys(options, now);
  checkPrincipalClaims(options.claims);
  const { claims } = options;
  const verification = {
    issuer,
    audience,
    algorithms,
    requiredClaims: ["exp"],
    clockTolerance: toleranceOf(options.clockTolerance),
    ...(options.type === undefined ? {} : { typ: options.type }),
    ...(options.maxAge === undefined ? {} : { maxTokenAge: durationMs("maxAge", options.maxAge) / 1000 }),
  };

  return authenticatorOf(async (request) => {
    const token = bearerToken(request);
    let payload: Record<string, unknown>;
    try {
      ({ payload } = await jwtVerify(token, key, { ...verification, currentDate: now() }));
    } catch (error) {
      throw error instanceof Refused ? error : new Refused(reasonOf(error));
    }
    return { ...principalOfClaims(claims, payload), authenticatedBy: authenticatedWith("jwt", payload.iss) };
  }, options.onRefusal);
}

function toleranceOf(seconds = 5): number {
  if (!(seconds >= 0 && seconds <= largestTolerance)) {
    throw wrongOption("clockTolerance", `must be seconds, from 0 to ${largestTolerance}`);
  }
  return seconds;
}

/** jose's error as a reason. The error itself holds the token's claims and goes no further. */
function reasonOf(error: unknown) {
  if (error instanceof errors.JWTExpired) return error.claim === "iat" ? "too_old" : "expired";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === "missing") return "missing_claim";
    return claimReasons.get(error.claim) ?? "malformed";
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return "algorithm_not_allowed";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "bad_signature";
  if (error instanceof errors.JWKSNoMatchingKey) return "unknown_key";
  // Several keys fit a token that names none; an issuer with more than one key names the one it used.
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
