export { type AnyAuthenticator, type AnyOfOptions, anyOf } from "./auth/any-of.js";
export { createApiToken, type NewApiToken } from "./auth/api-token.js";
export {
  type ApiTokenAuthenticatorOptions,
  type ApiTokenRecord,
  apiTokenAuthenticator,
} from "./auth/api-token-authenticator.js";
export type { Authenticator, AuthenticatorOptions, AuthRefusal } from "./auth/authenticator.js";
export {
  type CookieSession,
  type CookieSessionOptions,
  cookieSessionAuthenticator,
} from "./auth/cookie-session-authenticator.js";
export { type JwtAuthenticatorOptions, jwtAuthenticator } from "./auth/jwt-authenticator.js";
export type { JwtAlgorithm, JwtKeySource } from "./auth/jwt-keys.js";
export type { Claim, PrincipalClaims } from "./auth/principal-claims.js";
export { type VerifyOriginOptions, verifyOrigin } from "./auth/verify-origin.js";
