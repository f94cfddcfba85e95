import { atFirstUse } from "@countersign/policy/internal/shared/at-first-use";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { MiddlewareHandler } from "hono";
import type { RateLimiterRes } from "rate-limiter-flexible";
import type { ApiEnv } from "./api-env.js";

/** Failed sign-ins allowed per client and minute. */
const maxFailures = 60;

/** Requests that one principal may send to this process per minute. */
export interface RateLimit {
  perMinute: number;
}

/** @throws CountersignError `invalid_option` if `perMinute` is not a positive integer. */
export function checkedRateLimit(given: RateLimit | false | undefined): RateLimit | undefined {
  if (given === false) return undefined;
  const { perMinute } = given ?? { perMinute: 1200 };
  if (Number.isSafeInteger(perMinute) && perMinute > 0) return { perMinute };
  throw new CountersignError(
    "invalid_option",
    "rateLimit: perMinute must be a positive integer. Set rateLimit to false for no limit",
  );
}

/**
 * Counts the requests of each principal.
 * @throws CountersignError `too_many_requests`
 */
export function countRequests({
  perMinute,
}: RateLimit): (principal: Pick<Principal, "id" | "tenantId">) => Promise<RateLimiterRes> {
  const limiter = limiterOf(perMinute);
  return async ({ tenantId, id }) => {
    const taken = await (await limiter()).consume(JSON.stringify([tenantId, id])).catch(consumed);
    if (taken.consumedPoints <= perMinute) return taken;
    throw tooMany(`You may send ${perMinute} requests per minute`, taken.msBeforeNext);
  };
}

/** Limits a signed-in caller's requests. The `RateLimit` header reports how many are left. */
export function limitRate({ perMinute }: RateLimit): MiddlewareHandler<ApiEnv> {
  const count = countRequests({ perMinute });
  return async (c, next) => {
    const taken = await count(c.get("principal"));
    await next();
    c.res.headers.set("ratelimit-policy", `"principal";q=${perMinute};w=60`);
    c.res.headers.set(
      "ratelimit",
      `"principal";r=${taken.remainingPoints};t=${Math.ceil(taken.msBeforeNext / 1000)}`,
    );
  };
}

/**
 * Refuses clients with too many failed sign-ins without calling `authenticate`. An `undefined` client is never
 * refused.
 */
export function limitFailures() {
  const limiter = limiterOf(maxFailures);
  return async (
    client: string | undefined,
    authenticate: () => Promise<Principal | null>,
  ): Promise<Principal | null> => {
    if (client === undefined) return authenticate();
    const failed = await (await limiter()).get(client);
    if (failed && failed.consumedPoints >= maxFailures) {
      throw tooMany("Too many failed sign-ins from this address", failed.msBeforeNext);
    }
    const principal = await authenticate();
    if (!principal) await (await limiter()).penalty(client);
    return principal;
  };
}

/** Counts in this process, with so many points a minute. */
function limiterOf(points: number) {
  return atFirstUse(async () => {
    const { RateLimiterMemory } = await import("rate-limiter-flexible");
    return new RateLimiterMemory({ points, duration: 60 });
  });
}

/** The limiter throws its result when the limit is exceeded. */
function consumed(thrown: RateLimiterRes | Error): RateLimiterRes {
  if (thrown instanceof Error) throw thrown;
  return thrown;
}

function tooMany(text: string, ms: number): CountersignError {
  const retryAfter = Math.max(1, Math.ceil(ms / 1000));
  return new CountersignError("too_many_requests", `${text}; try again in ${retryAfter} s`, {
    detail: { retryAfter },
  });
}
