import { nameOfThrown } from "../name-of-thrown.js";
import type { Principal } from "../principal.js";
import type { Authenticator } from "./authenticator.js";
import { wrongOption } from "./options.js";
import { verifiedPrincipal } from "./verified-principal.js";

/** An authenticator of this package, or your own. */
export type AnyAuthenticator = (request: Request) => Principal | null | Promise<Principal | null>;

export interface AnyOfOptions {
  /**
   * Called when an authenticator throws or returns something that is no principal; the next one is asked then. Left
   * out: `console.error` with the error's name, since messages of others' errors may quote a token.
   */
  onError?: ((error: unknown) => void) | undefined;
}

/**
 * The first principal that one of these knows, asked in order. One that throws counts as not knowing anybody, and is
 * reported.
 *
 * @throws CountersignError `invalid_option` where it is given nothing to ask.
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
  if (asked.length === 0) throw wrongOption("anyOf", "give it at least one authenticator");
  for (const [index, authenticate] of asked.entries()) {
    if (typeof authenticate === "function") continue;
    throw wrongOption(
      `anyOf[${index}]`,
      "must be a function of the request; of a cookie session, pass session.authenticate",
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
          // A broken reporter must not keep the others from being asked.
        }
      }
    }
    return null;
  };
}

function reportByName(error: unknown): void {
  console.error(`Countersign: an authenticator threw (${nameOfThrown(error)}) and counts as knowing nobody`);
}
