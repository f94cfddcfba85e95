import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from "jose";
import { Refused } from "./authenticator.js";

/** Keys are fetched anew after this time, so that a key that the issuer withdrew stops working. */
const longestAgeMs = 10 * 60_000;
/** A token with an unknown key id does not make us ask again sooner than this after a fetch. */
const cooldownMs = 30_000;
/** Nor does anything, after a fetch that failed. */
const retryMs = 5_000;

/**
 * The keys of a JWKS endpoint. jose fetches them; when is decided here, by a clock that is passed in, and so that an
 * endpoint that is down is not asked once for each request. Keys that cannot be refreshed are not used any longer.
 */
export function remoteKeys(url: URL, now: () => Date): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(url, {
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY,
  });
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;

  const since = (time: number) => now().getTime() - time;
  const fetchKeys = async () => {
    if (since(failedAt) < retryMs) throw new Refused("keys_unavailable");
    const at = now().getTime();
    try {
      await keys.reload();
      fetchedAt = at;
    } catch {
      failedAt = at;
      throw new Refused("keys_unavailable");
    }
  };

  return async (header, token) => {
    if (since(fetchedAt) >= longestAgeMs) await fetchKeys();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || since(fetchedAt) < cooldownMs) throw error;
      await fetchKeys();
      return keys(header, token);
    }
  };
}
