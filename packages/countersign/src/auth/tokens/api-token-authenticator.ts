import { timingSafeEqual } from "node:crypto";
import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import type { VerifiedPrincipal } from "@countersign/policy/internal/shared/principal";
import {
  authenticatedWith,
  principalFix,
  verifiedPrincipal,
} from "@countersign/policy/internal/shared/principal";
import { type Authenticator, type AuthenticatorOptions, authenticatorOf, Refused } from "../authenticator.js";
import { hashApiToken, looksLikeApiToken, storedHash } from "./api-token.js";
import { bearerToken } from "./bearer-token.js";

/** The stored record of an API token. */
export interface ApiTokenRecord {
  /** Your name for the token. The audit log shows it. */
  id: string;
  /** SHA-256 of the token in hex, with or without the prefix `sha256:`. */
  hash: string;
  /** The principal that the token authenticates. */
  principal: VerifiedPrincipal;
  /** The token is rejected from this time on. @default never expires */
  expiresAt?: Date | null | undefined;
}

export type ApiTokenAuthenticatorOptions = AuthenticatorOptions &
  (
    | {
        /** All accepted tokens. */
        tokens: readonly ApiTokenRecord[];
      }
    | {
        /**
         * Finds a token's record by its hash, in the form that `createApiToken` returns, for tokens in a database. If it
         * throws, the request is rejected.
         */
        lookup: (hash: string) => Promise<ApiTokenRecord | null | undefined>;
      }
  );

interface KnownToken {
  hash: Buffer;
  principal: VerifiedPrincipal;
  expiresAt: Date | null;
}

/**
 * Authenticates programs by a token from `createApiToken` in the `Authorization: Bearer` header. Only hashes are
 * stored, and they are compared in constant time.
 *
 * @throws CountersignError `invalid_option` naming the invalid entry of `tokens`.
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
    throw wrongOption("tokens | lookup", "set exactly one of them: a list of tokens or a lookup function");
  }
  if (lookup !== undefined) {
    if (typeof lookup !== "function") {
      throw wrongOption("lookup", "must be a function that maps a token's hash to its record or null");
    }
    return (hash: Buffer) => lookUp(lookup as (hash: string) => Promise<unknown>, hash);
  }
  if (!Array.isArray(tokens)) throw wrongOption("tokens", "must be a list of { id, hash, principal }");
  const known = knownTokens(tokens);
  return async (hash: Buffer) => {
    let found: KnownToken | undefined;
    // Always compare with every token: the time taken must not reveal which one matched.
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
    record = await lookup(storedHash(hash));
  } catch {
    throw new Refused("lookup_failed");
  }
  if (record === null || record === undefined) return undefined;
  const read = readRecord(record);
  if (typeof read === "string") throw new Refused("unusable_principal");
  // Compare again, in case the lookup compares loosely.
  return timingSafeEqual(read.hash, hash) ? read : undefined;
}

function knownTokens(tokens: readonly unknown[]): KnownToken[] {
  const ids = new Set<unknown>();
  return tokens.map((record, index) => {
    const id = (record as Partial<ApiTokenRecord> | null)?.id;
    if (typeof id !== "string" || id === "" || ids.has(id)) {
      throw wrongOption(`tokens[${index}].id`, "must be a unique, non-empty name");
    }
    ids.add(id);
    const read = readRecord(record);
    if (typeof read === "string") throw wrongOption(`tokens[${index}].${read}`, recordFixes[read]);
    return read;
  });
}

const recordFixes = {
  hash: "must be the token's SHA-256 as 64 hex digits, as createApiToken returns it; never the token itself",
  principal: principalFix,
  expiresAt: 'must be a Date, such as new Date("2027-01-01T00:00:00Z")',
} as const;

/** Reads a record. Returns the name of the first invalid field instead if there is one. */
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
