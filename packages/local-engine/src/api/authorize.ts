import type { MiddlewareHandler } from "hono";
import { hashSigningKey, isSameSecret } from "../protocol/signature.js";
import { refuse } from "./api-error.js";

/** Lets only those in who send the signing key's hash as their bearer token; everybody when there is no key. */
export function requireSigningKey(signingKey: string | undefined): MiddlewareHandler {
  if (!signingKey) return (_c, next) => next();
  const expected = `Bearer ${hashSigningKey(signingKey)}`;
  return async (c, next) => {
    if (isSameSecret(c.req.header("authorization") ?? "", expected)) return next();
    return refuse(c, 401, "The request does not carry the engine's signing key");
  };
}

/** Whether an event key is one that the engine takes. */
export function isEventKeyKnown(eventKeys: readonly string[] | undefined, key: string): boolean {
  if (!eventKeys) return true;
  // Every key is compared, so that the time taken does not tell which one was close.
  return eventKeys.map((known) => isSameSecret(known, key)).includes(true);
}
