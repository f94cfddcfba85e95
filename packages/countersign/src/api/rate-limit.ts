import type { MiddlewareHandler } from "hono";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { CountersignError } from "../errors.js";
import type { Principal } from "../principal.js";
import type { ApiEnv } from "./api-env.js";

/** Attempts to sign in that one client may get wrong in a minute. */
const mostFailures = 60;

/** How many requests one principal may send to this process in any minute. */
export interface RateLimit {
  perMinute: number;
}

/** @throws CountersignError `invalid_option` where the number is none. */
export function checkedRateLimit(given: RateLimit | false | undefined): RateLimit | undefined {
  if (given === false) return undefined;
  const { perMinute } = given ?? { perMinute: 1200 };
  if (Number.isSafeInteger(perMinute) && perMinute > 0) return { perMinute };
  throw new CountersignError(
    "invalid_option",
    "rateLimit: perMinute must be a positive integer, or write false for no limit",
  );
}

/** Counts a signed-in caller's requests, says in `RateLimit` how many are left, and refuses what is too much. */
export function limitRate({ perMinute }: RateLimit): MiddlewareHandler<ApiEnv> {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return async (c, next) => {
    const { tenantId, id } = c.get("principal");
    const taken = await limiter.consume(JSON.stringify([tenantId, id])).catch(consumed);
    if (taken.consumedPoints > perMinute) {
      throw tooMany(`You may send ${perMinute} requests a minute`, taken.msBeforeNext);
    }
    await next();
    c.res.headers.set("ratelimit-policy", `"principal";q=${perMinute};w=60`);
    c.res.headers.set(
      "ratelimit",
      `"principal";r=${taken.remainingPoints};t=${Math.ceil(taken.msBeforeNext / 1000)}`,
    );
  };
}

/** Refuses, before anybody is asked, a client that has failed to sign in too often; `undefined` is never refused. */
export function limitFailures() {
  const limiter = new RateLimiterMemory({ points: mostFailures, duration: 60 });
  return async (
    client: string | undefined,
    authenticate: () => Promise<Principal | null>,
  ): Promise<Principal | null> => {
    if (client === undefined) return authenticate();
    const failed = await limiter.get(client);
    if (failed && failed.consumedPoints >= mostFailures) {
      throw tooMany("Too many requests of this address were not signed in", failed.msBeforeNext);
    }
    const principal = await authenticate();
    if (!principal) await limiter.penalty(client);
    return principal;
  };
}

/** The limiter throws what it counted where that is too much. */
function consumed(thrown: unknown): RateLimiterRes {
  if (thrown instanceof RateLimiterRes) return thrown;
  throw thrown;
}

function tooMany(words: string, ms: number): CountersignError {
  const retryAfter = Math.max(1, Math.ceil(ms / 1000));
  return new CountersignError("too_many_requests", `${words}; go on in ${retryAfter} s`, {
    detail: { retryAfter },
  });
}
