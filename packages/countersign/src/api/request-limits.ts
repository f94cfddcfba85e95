import type { Principal } from "@countersign/policy/internal/shared/principal";
import { limitStreams, type StreamLimit } from "./limit-streams.js";
import { checkedRateLimit, countRequests, type RateLimit } from "./rate-limit.js";

/** What each person may do at once and in a minute, in this process. */
export interface RequestLimits {
  /**
   * Counts a request.
   * @throws CountersignError `too_many_requests`
   */
  count(principal: Principal): Promise<void>;
  /** Counts what is open at once, such as `"chats"`. */
  streams(what: string): StreamLimit;
}

/** @throws CountersignError `invalid_option` if `perMinute` is not a positive integer. */
export function requestLimits(rateLimit: RateLimit | false | undefined): RequestLimits {
  const limit = checkedRateLimit(rateLimit);
  const count = limit && countRequests(limit);
  return { count: async (principal) => void (await count?.(principal)), streams: limitStreams };
}
