import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from "jose";
import { Refused } from "../authenticator.js";

/** Keys are refetched after this time, so that revoked keys stop working. */
const maxAgeMs = 10 * 60_000;
/** Minimum time between a fetch and a refetch for an unknown key id. */
const cooldownMs = 30_000;
/** Minimum time between a failed fetch and the next attempt. */
const retryMs = 5_000;

/**
 * Keys of a JWKS endpoint. jose fetches them, but this function decides when, so that tests can pass a clock and an
 * endpoint that is down is not called for every request. Stale keys that cannot be refreshed are not used.
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
    if (since(fetchedAt) >= maxAgeMs) await fetchKeys();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || since(fetchedAt) < cooldownMs) throw error;
      await fetchKeys();
      return keys(header, token);
    }
  };
}
