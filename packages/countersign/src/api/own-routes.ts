import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Hono } from "hono";
import type { bodyLimit } from "hono/body-limit";
import type { ApiEnv } from "./api-env.js";
import { problemResponse } from "./problem.js";
import { checkedRateLimit, limitRate, type RateLimit } from "./rate-limit.js";

interface OwnRoutesOptions {
  /** Returns a principal that has been checked. */
  authenticate: (request: Request) => Promise<Principal | null>;
  rateLimit?: RateLimit | false | undefined;
  /** The paths whose requests the rate limit counts: an app may be mounted beside others. */
  paths: readonly string[];
  maxBodyBytes: number;
  /** Hono's middleware. Given, so that what does not serve with Hono need not have it. */
  bodyLimit: typeof bodyLimit;
  logger: Logger;
  /** Changes what describes an error, for a client that expects more. @default unchanged */
  describe?: ((problem: Response) => Response | Promise<Response>) | undefined;
}

/**
 * Prepares an app for routes beside the approvals API. It authenticates each request before it reads the body, limits rate and size,
 * and describes errors as problem details.
 */
export function ownRoutes(
  app: Hono<ApiEnv>,
  { describe = (problem) => problem, ...options }: OwnRoutesOptions,
): Hono<ApiEnv> {
  app.onError((error, c) => describe(problemResponse(c, error, options.logger)));
  app.use("*", async (c, next) => {
    const principal = await options.authenticate(c.req.raw);
    if (!principal) throw new CountersignError("unauthenticated", "Send a valid token or sign in");
    c.set("principal", principal);
    await next();
  });
  const rateLimit = checkedRateLimit(options.rateLimit);
  if (rateLimit) {
    const limit = limitRate(rateLimit);
    for (const path of options.paths) app.use(path, limit);
  }
  const { maxBodyBytes } = options;
  app.use(
    "*",
    options.bodyLimit({
      maxSize: maxBodyBytes,
      onError: () => {
        throw new CountersignError("too_large", `The body must not exceed ${maxBodyBytes} bytes`);
      },
    }),
  );
  return app;
}
