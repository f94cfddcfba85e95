import { timingSafeEqual } from "node:crypto";
import type { Principal } from "../principal.js";
import { hashApiToken, looksLikeApiToken } from "./api-token.js";
import { type Authenticator, type AuthenticatorOptions, authenticatorOf, Refused } from "./authenticator.js";
import { bearerToken } from "./bearer-token.js";
import { wrongOption } from "./options.js";
import { authenticatedWith, verifiedPrincipal } from "./verified-principal.js";

/** What is stored of an API token. */
export interface ApiTokenRecord {
  /** Your name for the token, to tell them apart and to revoke it by; the audit log names it. */
  id: string;
  /** SHA-256 of the token as hex, with or without `sha256:` before it. */
  hash: string;
  /** Who acts with it. */
  principal: Principal;
  /** From this moment on it is refused. Left out: it does not expire. */
  expiresAt?: Date | null | undefined;
}

export type ApiTokenAuthenticatorOptions = AuthenticatorOptions &
  (
    | {
        /** All tokens there are. */
        tokens: readonly ApiTokenRecord[];
      }
    | {
        /**
         * Finds the record of a token by its hash, 64 hex digits in lower case; for tokens in a database. What it
         * throws refuses the request.
         */
        lookup: (hash: string) => Promise<ApiTokenRecord | null | undefined>;
      }
  );

interface KnownToken {
  hash: Buffer;
  principal: Principal;
  expiresAt: Date | null;
}

/**
 * Programs with a token of `createApiToken` in `Authorization: Bearer cs_…`. Only hashes are stored, and they are
 * compared in constant time.
 *
 * @throws CountersignError `invalid_option` naming the entry of `tokens` that cannot be used.
 *
 * @example
 * ```ts
 * import { apiTokenAuthenticator } from "countersign/auth";
 *
 * export const authenticate = apiTokenAuthenticator({
 *   tokens: [
 *     {
 *       id: "pager-bot",
 *       hash: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
 *       principal: { id: "pager-bot", tenantId: "acme", roles: ["operator"] },
 *       expiresAt: new Date("2027-01-01T00:00:00Z"),
 *     },
 *   ],
 * });
 * ```
 */
export function apiTokenAuthenticator(options: ApiTokenAuthenticatorOptions): Authenticator {
  const find = finderOf(options);
  const now = options.now ?? (() => new Date());

  return authenticatorOf(async (request) => {
    const token = bearerToken(request);
    if (!looksLikeApiToken(token)) throw new Refused("malformed");
    const known = await find(hashApiToken(token));
    if (!known) throw new Refused("unknown_token");
    if (known.expiresAt !== null && now().getTime() >= known.expiresAt.getTime())
      throw new Refused("expired");
    return structuredClone(known.principal);
  }, options.onRefusal);
}

function finderOf(options: ApiTokenAuthenticatorOptions) {
  const { tokens, lookup } = options as { tokens?: unknown; lookup?: unknown };
  if ((tokens === undefined) === (lookup === undefined)) {
    throw wrongOption("tokens | lookup", "give exactly one of them: the list of tokens, or how to find one");
  }
  if (lookup !== undefined) {
    if (typeof lookup !== "function") {
      throw wrongOption("lookup", "must be a function from a token's hash to its record, or null");
    }
    return (hash: Buffer) => lookUp(lookup as (hash: string) => Promise<unknown>, hash);
  }
  if (!Array.isArray(tokens)) throw wrongOption("tokens", "must be a list of { id, hash, principal }");
  const known = knownTokens(tokens);
  return async (hash: Buffer) => {
    let found: KnownToken | undefined;
    // No early end: how long it takes must not tell which one it was, or how much of it fitted.
    for (const token of known) if (timingSafeEqual(token.hash, hash)) found = token;
    return found;
  };
}

async function lookUp(
  lookup: (hash: string) => Promise<unknown>,
  hash: Buffer,
): Promise<KnownToken | undefined> {
  let record: unknown;
  try {
    record = await lookup(hash.toString("hex"));
  } catch {
    throw new Refused("lookup_failed");
  }
  if (record === null || record === undefined) return undefined;
  const read = readRecord(record);
  if (typeof read === "string") throw new Refused("unusable_principal");
  // A lookup that compares loosely must not let one token pass for another.
  return timingSafeEqual(read.hash, hash) ? read : undefined;
}

function knownTokens(tokens: readonly unknown[]): KnownToken[] {
  const ids = new Set<unknown>();
  return tokens.map((record, index) => {
    const id = (record as Partial<ApiTokenRecord> | null)?.id;
    if (typeof id !== "string" || id === "" || ids.has(id)) {
      throw wrongOption(`tokens[${index}].id`, "must be a name that no other token has");
    }
    ids.add(id);
    const read = readRecord(record);
    if (typeof read === "string") throw wrongOption(`tokens[${index}].${read}`, recordFixes[read]);
    return read;
  });
}

const recordFixes = {
  hash: "must be the token's SHA-256 as 64 hex digits, as createApiToken gives it; never the token itself",
  principal:
    "must be { id, tenantId, roles, displayName? }, each text of at most 200 characters and without NUL",
  expiresAt: 'must be a Date, such as new Date("2027-01-01T00:00:00Z")',
} as const;

/** The record, or the name of the field that is wrong. */
function readRecord(record: unknown): KnownToken | keyof typeof recordFixes {
  const { id, hash, principal, expiresAt } = record as Partial<Record<keyof ApiTokenRecord, unknown>>;
  const hex = typeof hash === "string" ? /^(?:sha256:)?([0-9a-f]{64})$/i.exec(hash)?.[1] : undefined;
  if (hex === undefined) return "hash";
  const verified = verifiedPrincipal(principal);
  if (!verified) return "principal";
  const known = {
    hash: Buffer.from(hex, "hex"),
    principal: { ...verified, authenticatedBy: authenticatedWith("api-token", id) },
  };
  if (expiresAt === undefined || expiresAt === null) return { ...known, expiresAt: null };
  if (!(expiresAt instanceof Date) || Number.isNaN(expiresAt.getTime())) return "expiresAt";
  return { ...known, expiresAt };
}
