export { type AnyAuthenticator, type AnyOfOptions, anyOf } from "./auth/any-of.js";
export type { Authenticator, AuthenticatorOptions, AuthRefusal } from "./auth/authenticator.js";
export { type JwtAuthenticatorOptions, jwtAuthenticator } from "./auth/jwt/jwt-authenticator.js";
export type { JwtAlgorithm, JwtKeySource } from "./auth/jwt/jwt-keys.js";
export type { Claim, PrincipalClaims } from "./auth/principal-claims.js";
export {
  type CookieSession,
  type CookieSessionOptions,
  cookieSessionAuthenticator,
} from "./auth/session/cookie-session-authenticator.js";
export { type VerifyOriginOptions, verifyOrigin } from "./auth/session/verify-origin.js";
export { createApiToken, type NewApiToken } from "./auth/tokens/api-token.js";
export {
  type ApiTokenAuthenticatorOptions,
  type ApiTokenRecord,
  apiTokenAuthenticator,
} from "./auth/tokens/api-token-authenticator.js";
