import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { consoleLogger } from "@countersign/policy/internal/shared/logger";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { VerifiedPrincipal } from "@countersign/policy/internal/shared/principal";
import { verifiedPrincipal } from "@countersign/policy/internal/shared/principal";
import type { Authenticator } from "./authenticator.js";

/** An authenticator from this package or your own. */
export type AnyAuthenticator = (
  request: Request,
) => VerifiedPrincipal | null | Promise<VerifiedPrincipal | null>;

export interface AnyOfOptions {
  /**
   * Called when an authenticator throws or returns something that is not a principal. The next authenticator is tried
   * then.
   *
   * @default `console.error` with the error's name only, because messages of foreign errors may quote a token
   */
  onError?: ((error: unknown) => void) | undefined;
}

/**
 * Tries authenticators in order and returns the first principal. An authenticator that throws is reported and
 * skipped.
 *
 * @throws CountersignError `invalid_option` if no authenticator is given.
 *
 * @example
 * ```ts
 * import { type Authenticator, anyOf, type CookieSession } from "countersign/auth";
 *
 * export function authenticators(session: CookieSession, tokens: Authenticator): Authenticator {
 *   return anyOf(session.authenticate, tokens, { onError: (error) => console.error(error) });
 * }
 * ```
 */
export function anyOf(
  ...authenticators: AnyAuthenticator[] | [...AnyAuthenticator[], AnyOfOptions]
): Authenticator {
  const last = authenticators.at(-1);
  const options = typeof last === "object" && last !== null && !("authenticate" in last) ? last : undefined;
  const asked: unknown[] = options ? authenticators.slice(0, -1) : authenticators;
  if (asked.length === 0) throw wrongOption("anyOf", "pass at least one authenticator");
  for (const [index, authenticate] of asked.entries()) {
    if (typeof authenticate === "function") continue;
    throw wrongOption(
      `anyOf[${index}]`,
      "must be a function of the request; for a cookie session, pass session.authenticate",
    );
  }
  const report = options?.onError ?? reportByName;

  return async (request) => {
    for (const authenticate of asked as AnyAuthenticator[]) {
      try {
        const found = await authenticate(request);
        if (found === null || found === undefined) continue;
        const principal = verifiedPrincipal(found);
        if (principal) return principal;
        throw new TypeError("An authenticator returned something that is not a principal");
      } catch (error) {
        try {
          report(error);
        } catch {
          // A broken reporter must not stop the other authenticators.
        }
      }
    }
    return null;
  };
}

function reportByName(error: unknown): void {
  consoleLogger.error("An authenticator threw and was skipped", { error: nameOfThrown(error) });
}
