import type { Env, MiddlewareHandler } from "hono";
import { hashSigningKey, isSameSecret } from "../protocol/signature.js";
import { refuse } from "./api-error.js";

/** Requires a bearer token with the signing key or its hash. Without a key, all requests pass. */
export function requireSigningKey(signingKey: string | undefined): MiddlewareHandler {
  if (!signingKey) return (_c, next) => next();
  const tokens = [hashSigningKey(signingKey), signingKey];
  return async (c, next) => {
    const sent = c.req.header("authorization") ?? "";
    if (
      isOneOf(
        tokens.map((token) => `Bearer ${token}`),
        sent,
      )
    )
      return next();
    return refuse(c, 401, "The request does not have the engine's signing key");
  };
}

/** Requires a known event key. Without keys, all requests pass. */
export function requireEventKey(eventKeys: readonly string[] | undefined): MiddlewareHandler<Env, "/e/:key"> {
  return async (c, next) => {
    if (!eventKeys || isOneOf(eventKeys, c.req.param("key"))) return next();
    return refuse(c, 401, "Event key not found");
  };
}

/** Compares with every secret, so that the time taken does not reveal which one was close. */
function isOneOf(secrets: readonly string[], sent: string): boolean {
  return secrets.map((secret) => isSameSecret(secret, sent)).includes(true);
}
